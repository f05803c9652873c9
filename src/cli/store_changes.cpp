// SPDX-License-Identifier: Apache-2.0
// The actions that change the store other than add: tag, rm, merge, import; and check.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/store_actions.h"
#include "report/store_text.h"
#include "report/words.h"
#include "store/entries_file.h"
#include "store/runs_csv.h"

namespace parcast::cli {
namespace {

int list_tags(const StoreCall& call) {
  if (call.words.size() > 1) {
    const auto entry = call.store.show(call.words[1]);
    if (!entry) return say_error(entry.error()), kFailed;
    std::map<std::string, std::int64_t> tags;
    for (const std::string& tag : entry->tags) tags[tag] = 1;
    return print_result(call.invocation.json() ? report::tags_to_json(tags)
                                               : report::tags_text(tags, call.look)),
           kAnswered;
  }
  const auto tags = call.store.tags();
  if (!tags) return say_error(tags.error()), kFailed;
  return print_result(call.invocation.json() ? report::tags_to_json(*tags)
                                             : report::tags_text(*tags, call.look)),
         kAnswered;
}

/// Prompts the user at the terminal; returns whether the answer is yes.
bool agreed(const std::string& question) {
  print_message(question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

/// Prompts the user at a terminal. Without a terminal, --yes is required instead.
Result<bool> may_remove(const StoreCall& call, const std::vector<store::Entry>& entries) {
  if (call.invocation.has("--yes")) return true;
  const std::string what = "remove " + report::entries_counted(entries.size()) + " from " + call.store.name();
  if (::isatty(STDIN_FILENO) != 1) return Error{"nobody can be asked whether to " + what, "", "add --yes"};
  return agreed(report::store_list_text(entries, call.look) + what + "?");
}

Result<std::vector<store::Entry>> entries_of_file(const std::string& path, const Invocation& invocation) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  if (!invocation.has("--csv") && !path.ends_with(".csv")) return store::entries_from_json(text, path);
  PARCAST_ASSIGN(const auto csv, parse_csv(text, path));
  return store::runs_from_csv(csv);
}

report::StoreChecked checked(const std::vector<store::Entry>& entries) {
  report::StoreChecked out;
  std::error_code problem;
  for (const store::Entry& entry : entries) {
    ++out.entries[std::string(to_string(entry.kind))];
    const bool has_file = !entry.path.empty() && entry.kind != store::Kind::measurement;
    if (has_file && !std::filesystem::exists(entry.path, problem)) out.missing_files.push_back(entry.path);
  }
  return out;
}

int say_taken(const StoreCall& call, const Result<store::Taken>& taken, const std::string& from) {
  if (!taken) return say_error(taken.error()), kFailed;
  for (const store::Difference& each : taken->differing)
    say_warning(call.invocation,
                {std::string(to_string(each.kind)) + " " + each.digest.substr(0, 12) +
                     " has other parameters there, and stays as it is here: " + each.text("here", "there"),
                 from,
                 each.kind == store::Kind::recording
                     ? "parcast store add its folder again takes the parameters that it has"
                     : ""});
  if (call.invocation.json()) return print_result(report::taken_to_json(*taken)), kAnswered;
  if (!call.invocation.quiet()) print_result(report::taken_text(*taken, from, call.store.name()));
  return kAnswered;
}

}  // namespace

int store_tag(const StoreCall& call) {
  const std::string& what = call.words[0];
  if (what == "list" && call.words.size() <= 2) return list_tags(call);
  if ((what != "add" && what != "remove") || call.words.size() < 3)
    return say_error({"store tag " + join(call.words, " ") + " is not understood", "",
                      "write tag add ID TAG..., tag remove ID TAG... or tag list [ID]"}),
           kUsage;
  const auto entries = entries_named(call.store, {call.words[1]});
  if (!entries) return say_error(entries.error()), kFailed;
  const std::vector<std::string> tags(call.words.begin() + 2, call.words.end());
  const auto done = what == "add" ? call.store.tag(*entries, tags) : call.store.untag(*entries, tags);
  if (!done) return say_error(done.error()), kFailed;
  return call.invocation.quiet() && !call.invocation.json()
             ? kAnswered
             : list_tags({call.invocation, call.look, {"list", call.words[1]}, call.store});
}

int store_remove(const StoreCall& call) {
  const auto entries = entries_named(call.store, call.words);
  if (!entries) return say_error(entries.error()), kFailed;
  const auto may = may_remove(call, *entries);
  if (!may) return say_error(may.error()), kUsage;
  if (!*may) return print_message("parcast: nothing was removed\n"), kAnswered;
  const auto removed = call.store.remove(*entries, call.invocation.has("--force"));
  if (!removed) return say_error(removed.error()), kFailed;
  if (call.invocation.json()) return print_result(report::removed_to_json(*removed)), kAnswered;
  if (!call.invocation.quiet())
    print_result(report::store_list_text(*removed, call.look) + "removed " +
                 report::entries_counted(removed->size()) + "; files stay\n");
  return kAnswered;
}

int store_merge(const StoreCall& call) {
  const auto other = store::Store::open_existing(call.words[0]);
  if (!other) return say_error(other.error()), kFailed;
  return say_taken(call, call.store.merge(*other), other->name());
}

int store_import(const StoreCall& call) {
  auto entries = entries_of_file(call.words[0], call.invocation);
  if (!entries) return say_error(entries.error()), kFailed;
  return say_taken(call, call.store.take(std::move(*entries)), call.words[0]);
}

int store_check(const StoreCall& call) {
  if (const auto sound = call.store.check(); !sound) return say_error(sound.error()), kFailed;
  const auto all = call.store.list();
  if (!all) return say_error(all.error()), kFailed;
  const report::StoreChecked found = checked(*all);
  print_result(call.invocation.json() ? report::checked_to_json(found)
                                      : report::checked_text(found, call.store.name(), call.look));
  return kAnswered;
}

}  // namespace parcast::cli
