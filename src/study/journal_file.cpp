// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_nesting.h"
#include "base/plain_number.h"
#include "base/text.h"
#include "study/journal.h"

namespace parcast::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kJournalSchema = "parcast.study-journal/1", *kFile = "journal.json";
constexpr std::size_t kShownDigits = 8;  // of a key

constexpr std::array<std::pair<RunKind, std::string_view>, 4> kKinds{{{RunKind::design, "design"},
                                                                      {RunKind::advised, "advised"},
                                                                      {RunKind::check, "check"},
                                                                      {RunKind::replayed, "replayed"}}};

RunKind kind_from(const std::string& name) {
  for (const auto& [kind, text] : kKinds)
    if (text == name) return kind;
  throw Json::other_error::create(599, "\"" + name + "\" is no kind of run", nullptr);
}

Json json_of(const Run& run) {
  Json out{{"name", run.name},
           {"key", run.key},
           {"kind", to_string(run.kind)},
           {"parameters", run.values},
           {"repeat", run.repeat},
           {"done", run.is_done},
           {"exit_code", run.exit_code},
           {"seconds", run.seconds},
           {"launch_seconds", run.launch_seconds},
           {"processes", run.processes},
           {"crowded", run.is_crowded},
           {"damaged", run.is_damaged},
           {"recording", run.digest}};
  if (!run.is_done) out["fault"] = run.fault, out["hint"] = run.hint;
  return out;
}

Run run_from(const Json& json) {
  Run run;
  run.name = json.at("name"), run.key = json.at("key"), run.kind = kind_from(json.at("kind")),
  run.values = json.at("parameters").get<Values>();
  run.repeat = json.at("repeat"), run.is_done = json.at("done"), run.exit_code = json.at("exit_code"),
  run.seconds = json.at("seconds");
  run.launch_seconds = json.at("launch_seconds"), run.processes = json.at("processes"),
  run.is_crowded = json.at("crowded"), run.is_damaged = json.at("damaged"), run.digest = json.at("recording");
  run.fault = json.value("fault", ""), run.hint = json.value("hint", "");
  return run;
}

}  // namespace

std::string_view to_string(RunKind kind) {
  return std::ranges::find(kKinds, kind, [](const auto& each) { return each.first; })->second;
}

std::string run_name(RunKind kind, const Values& values, int repeat, const std::string& key) {
  std::string name = counts(kind) ? "" : std::string(to_string(kind));
  const auto add = [&](const std::string& word) { name += (name.empty() ? "" : "-") + word; };
  if (const auto p = values.find("p"); p != values.end()) add("p" + format_plain(p->second));
  for (const auto& [parameter, value] : values)
    if (parameter != "p") add(parameter + format_plain(value));
  constexpr std::size_t kMost = 100;
  if (name.size() > kMost) name.resize(kMost);
  if (repeat > 1) add("again" + std::to_string(repeat));
  return name + "." + key.substr(0, kShownDigits);
}

const Run* Journal::find(const std::string& key, bool does_count) const {
  const auto at = std::ranges::find_if(
      runs, [&](const Run& run) { return run.key == key && counts(run.kind) == does_count; });
  return at == runs.end() ? nullptr : &*at;
}

void Journal::add(Run run) {
  std::erase_if(
      runs, [&](const Run& each) { return each.key == run.key && counts(each.kind) == counts(run.kind); });
  runs.push_back(std::move(run));
}

std::string to_json(const Journal& journal) {
  Json runs = Json::array();
  for (const Run& run : journal.runs) runs.push_back(json_of(run));
  return Json{{"schema", kJournalSchema},
              {"runs", runs},
              {"made", journal.made},
              {"stopped",
               {{"key", journal.stopped.key},
                {"code", journal.stopped.code},
                {"reason", journal.stopped.reason}}}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<Journal> journal_from_json(std::string_view text, const std::string& where) {
  PARCAST_TRY(check_json_nesting(text, where));
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kJournalSchema)
      return Error{"it is no " + std::string(kJournalSchema), where,
                   "was it written by another version of Parcast?"};
    Journal journal;
    for (const Json& run : json.at("runs")) journal.runs.push_back(run_from(run));
    journal.made = json.at("made").get<std::map<std::string, std::string>>();
    const Json& stopped = json.at("stopped");
    journal.stopped = {stopped.at("key"), stopped.at("code"), stopped.at("reason")};
    return journal;
  } catch (const Json::exception& error) {
    return Error{std::string("the journal cannot be read: ") + error.what(), where,
                 "--fresh begins the study anew"};
  }
}

Result<Journal> read_journal(const std::filesystem::path& folder) {
  std::error_code problem;
  const std::filesystem::path path = folder / kFile;
  if (!std::filesystem::exists(path, problem)) return Journal{};
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return journal_from_json(text, path.string());
}

Result<void> write_journal(const std::filesystem::path& folder, const Journal& journal) {
  return write_file(folder / kFile, to_json(journal));
}

}  // namespace parcast::study
