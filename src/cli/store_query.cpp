// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "cli/store_actions.h"
#include "store/instant.h"

namespace parcast::cli {
namespace {

Result<store::Bounds> bounds_from(const std::string& flag, const std::string& text) {
  const Error wrong{flag + " " + text + " is neither a number nor a range", "",
                    "write for example 64, 16..256, 16.. or ..256"};
  store::Bounds out;
  const auto dots = text.find("..");
  const std::string low = text.substr(0, dots),
                    high = dots == std::string::npos ? low : text.substr(dots + 2);
  if (low.empty() && high.empty()) return wrong;
  for (const auto& [part, into] : {std::pair(low, &out.least), std::pair(high, &out.most)}) {
    if (part.empty()) continue;
    const auto value = parse_double(part);
    if (!value) return wrong;
    *into = *value;
  }
  if (out.least > out.most)
    return Error{flag + " " + text + " is empty: it begins above its end", "",
                 "write the smaller number first"};
  return out;
}

Result<std::string> moment_from(const std::string& flag, const std::string& text) {
  constexpr std::int64_t kDay = 86'400'000'000;  // microseconds
  const auto time = store::parse_time(text);
  if (!time) return Error{flag + ": " + time.error().what, "", time.error().hint};
  if (flag == "--since") return store::to_string(time->earliest);
  const bool date_alone = trim(text).size() == 10;
  return store::to_string(date_alone ? store::Instant{time->latest.microseconds + kDay - 1} : time->latest);
}

Result<void> take_parameters(const std::vector<std::string>& words, store::Query& query) {
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error{"\"" + word + "\" is not NAME=VALUE", "", "write for example -s n=1024 or -s n=64..256"};
    const std::string name = word.substr(0, equals);
    PARCAST_ASSIGN(const store::Bounds bounds, bounds_from("-s " + name + " =", word.substr(equals + 1)));
    if (name == "p" && query.processes) return Error{"the process count is given twice", "", "give p once"};
    if (name == "p")
      query.processes = bounds;
    else if (!query.parameters.emplace(name, bounds).second)
      return Error{name + " is given twice", "", "give it once"};
  }
  return {};
}

}  // namespace

const std::vector<Flag>& query_flag_list() {
  static const std::vector<Flag> flags{
      {"--program", 0, "NAME", "of that program"},
      {"--machine", 'm', "NAME", "on that machine; of recordings also how the processor's name begins"},
      {"--processes", 'p', "BOUNDS", "with that many processes"},
      {"--set", 's', "K=BOUNDS", "with that value of a parameter", true},
      {"--since", 0, "TIME", "begun then or later: 2026-11-21, 2026-11-21T08:35:47Z"},
      {"--until", 0, "TIME", "begun until then, a date to its end"},
      {"--tag", 0, "TAG", "with that tag"}};
  return flags;
}

const std::vector<std::string_view>& query_flags() {
  static const std::vector<std::string_view> flags = [] {
    std::vector<std::string_view> names;
    for (const Flag& flag : query_flag_list()) names.push_back(flag.name);
    return names;
  }();
  return flags;
}

Result<store::Query> query_from(const Invocation& invocation, const std::string& parameters) {
  store::Query query;
  query.program = invocation.value("--program").value_or("");
  query.machine = invocation.value("--machine").value_or("");
  query.tag = invocation.value("--tag").value_or("");
  if (const auto text = invocation.value("--processes")) {
    PARCAST_ASSIGN(query.processes, bounds_from("-p", *text));
  }
  PARCAST_TRY(take_parameters(invocation.values(parameters), query));
  if (const auto text = invocation.value("--since")) {
    PARCAST_ASSIGN(query.since, moment_from("--since", *text));
  }
  if (const auto text = invocation.value("--until")) {
    PARCAST_ASSIGN(query.until, moment_from("--until", *text));
  }
  return query;
}

Result<std::vector<store::Entry>> entries_named(const store::Store& store,
                                                const std::vector<std::string>& ids) {
  std::vector<store::Entry> out;
  for (const std::string& id : ids) {
    PARCAST_ASSIGN(store::Entry entry, store.show(id));
    const bool there = std::any_of(out.begin(), out.end(),
                                   [&](const store::Entry& each) { return each.digest == entry.digest; });
    if (!there) out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace parcast::cli
