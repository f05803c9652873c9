// SPDX-License-Identifier: Apache-2.0
// Adds recordings to the store. Each is kept and acknowledged before the next one is read: an interruption
// loses no acknowledged one, and a damaged recording does not prevent adding the others.
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/store_actions.h"
#include "recording/containers.h"
#include "recording/recording.h"
#include "report/problems.h"
#include "report/store_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// Returns all recordings below a folder, by path. Folders within a recording are part of it.
Result<std::vector<std::string>> recordings_below(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code problem;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, problem);
  for (const fs::recursive_directory_iterator end; !problem && at != end; at.increment(problem)) {
    if (!at->is_directory() || !recording::holds_ranks(at->path())) continue;
    out.push_back(at->path().string());
    at.disable_recursion_pending();
  }
  if (problem) return Error{"the folder cannot be read: " + problem.message(), folder, ""};
  std::sort(out.begin(), out.end());
  if (out.empty())
    return Error{"there is no recording below it", folder, "parcast record makes NAME.recording"};
  return out;
}

Result<std::vector<std::string>> recordings_named(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const std::string kind = kind_of(word);
    if (kind == "a recording" || (kind == "a folder" && word.ends_with(".recording"))) {
      out.push_back(word);
    } else if (kind == "a folder") {
      PARCAST_ASSIGN(const auto below, recordings_below(word));
      out.insert(out.end(), below.begin(), below.end());
    } else if (kind_of(word + ".recording") == "a recording") {
      out.push_back(word + ".recording");
    } else if (kind.empty()) {
      return nothing_there("there is no recording or folder " + word, word, {".recording"},
                           "parcast record -o NAME.recording -- LAUNCH LINE");
    } else {
      return Error{word + " is " + kind + ", not a recording", "",
                   "parcast record makes NAME.recording; models and machines are kept as they are made"};
    }
  }
  return out;
}

/// Reads and keeps one recording. A damaged one is kept as far as it can be read, with a warning.
Result<report::AddedRecording> add_one(const StoreCall& call, const std::string& path) {
  PARCAST_ASSIGN(const recording::Recording recording, recording::read_recording(path));
  report::AddedRecording out{path, recording.digest, !call.store.holds(recording.digest),
                             recording.losses.empty()};
  std::vector<store::Difference> differing;
  PARCAST_TRY(call.store.add_recording(path, recording, &differing));
  for (const store::Difference& each : differing)
    say_warning(call.invocation,
                {"the store kept it with other parameters, which are replaced: " + each.text("before", "now"),
                 path, ""});
  for (const auto& problem : report::problems_of(recording))
    say_warning(call.invocation, {problem.text, path, "it is kept as far as it goes"});
  return out;
}

}  // namespace

int store_add(const StoreCall& call) {
  const auto paths = recordings_named(call.words);
  if (!paths) return say_error(paths.error()), kFailed;
  report::AddedRecordings added;
  {
    Progress progress(call.invocation);
    for (std::size_t i = 0; i < paths->size(); ++i) {
      const std::string& path = (*paths)[i];
      progress.show(static_cast<double>(i) / static_cast<double>(paths->size()), path);
      const auto one = add_one(call, path);
      progress.clear();  // so that the next lines stay on the terminal
      if (!one) {
        say_error(one.error());
        added.refused.push_back({path, one.error().what});
        continue;
      }
      added.kept.push_back(*one);
      if (!call.invocation.json() && !call.invocation.quiet()) print_result(report::added_text(*one));
    }
  }
  if (call.invocation.json())
    print_result(report::added_to_json(added));
  else if (!call.invocation.quiet())
    print_message("parcast: " + report::added_summary(added) + " in " + call.store.name() + "\n");
  if (added.kept.empty()) return kFailed;
  const bool whole =
      std::all_of(added.kept.begin(), added.kept.end(), [](const auto& one) { return one.whole; });
  return added.refused.empty() && whole ? kAnswered : kPartial;
}

}  // namespace parcast::cli
