// SPDX-License-Identifier: Apache-2.0
#include "report/notes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Warning;

constexpr std::size_t kMost = 3;

/// What the user does about a warning. Text has at most one warning of each kind.
enum class Action {
  none,
  measure_machine,
  describe_machine,
  record_more,
  decide_counts,
  repeat,
  place_otherwise,
  use_engine,
  look
};

/// A code with its rank: 1 is the most urgent; 0 is a note, which changes nothing for the user.
///
/// `brief` and `several` are sentences with placeholders: {about}, {names} ("a, b and c"), {count}, {hint},
/// {NAME} for a number and {NAME s} for seconds. Empty: the warning's own text and hint.
struct Row {
  std::string_view code;
  int rank = 0;
  Action action = Action::none;
  std::string_view brief = "", several = "";
  int rank_in_model = 0;  // of a note about recordings, where the model itself is printed; 0: the same
};

constexpr std::size_t kMostOfFormulas = 200;  // bytes of a sentence that has the formulas of a count
constexpr std::string_view kAmbiguousOne =
    "one count fits several formulas, which the interval spans; {hint}";
constexpr std::string_view kAmbiguous =
    "{count} counts fit several formulas, which the interval spans; {hint}";

constexpr Row kRows[] = {
    // The answer may not be the one that was asked for.
    {"damaged", 1, Action::repeat},
    {"damaged-recording", 1, Action::repeat},
    {"failed-run", 1, Action::repeat},
    {"memory", 1, Action::place_otherwise},
    {"more-than-cores", 1, Action::place_otherwise},
    {"threads-not-modelled", 1, Action::record_more},
    {"stale-calibration", 1, Action::measure_machine},
    {"single-recording", 1, Action::record_more},
    {"never-varied", 1, Action::record_more,
     "{about} was {recorded} in every recording, so its effect at {value} is unknown; {hint}",
     "{count} parameters had one value in every recording, {about} among them; {hint}"},
    {"by-code-alone", 2, Action::record_more,
     "{about} was {recorded} in every recording: its effect at {value} comes from the program's own code "
     "alone; {hint}",
     "{count} parameters had one value in every recording, {about} among them, and their effects come from "
     "the program's own code alone; {hint}"},
    {"never-zero", 1, Action::record_more},
    {"unlike-repeats", 2, Action::record_more},
    {"off-processor", 5, Action::repeat, "", "", 2},
    {"no-table", 2, Action::measure_machine, "", "the machine has no measured cost of {names}; {hint}"},
    {"compute-not-scaled", 2, Action::describe_machine},
    {"order-copied", 2, Action::use_engine},
    {"totals-differ", 2, Action::record_more},
    {"reconciled-far", 2, Action::record_more},
    {"recording-missed", 3, Action::look,
     "the model gives {given s} and the recording at {about} has {recorded s}; {hint}"},
    {"unfollowed-calls", 3, Action::look},
    {"unfollowed", 3, Action::look},
    {"unknown-share", 3, Action::look},
    {"outside-model", 3, Action::look},
    {"machine-too-small", 1, Action::measure_machine,
     "the run needs {nodes} nodes and {about} has {has}: it cannot be made there, and the answer assumes "
     "more "
     "nodes like its own; describe a cluster with parcast machine new nodes={nodes}"},
    {"other-placement", 3, Action::measure_machine,
     "{about} was measured with other processes per node; measure with parcast calibrate --launcher '...' on "
     "{nodes} nodes"},
    {"link-assumed", 4, Action::measure_machine},
    {"other-library", 4, Action::describe_machine},
    {"part-ignored", 4, Action::use_engine},
    {"core-share", 4, Action::use_engine},
    {"ambiguous-count", 4, Action::decide_counts, kAmbiguousOne, kAmbiguous},
    {"ambiguous-work", 4, Action::decide_counts, kAmbiguousOne, kAmbiguous},
    {"off-lattice", 4, Action::decide_counts},
    {"not-whole", 4, Action::look},
    {"negative", 4, Action::look},
    {"power-of-two", 4, Action::use_engine},
    {"crowded-costs", 4, Action::record_more},
    {"crowded-misses", 5, Action::record_more},
    {"missed-costs", 5, Action::record_more},
    {"data-decided", 5, Action::decide_counts},
    {"slowed-run", 5, Action::repeat},
    {"without-facts", 5, Action::record_more},
    {"facts-misfit", 5, Action::record_more},
    {"facts-unreadable", 5, Action::record_more},
    {"partly-counted", 5, Action::record_more},
    {"unfinished-counts", 5, Action::repeat},
    {"no-order", 5, Action::use_engine},
    {"partners-assumed", 5, Action::decide_counts, "", "the partners of {count} calls fit two rules; {hint}"},
    {"beyond-table", 5, Action::measure_machine, "", "{count} costs go beyond the measured range; {hint}"},
    {"regular-table", 5, Action::measure_machine},
    {"measured-call", 5, Action::record_more},
    {"closed-form-misses-waits", 1, Action::use_engine},
    {"closed-form-differs", 6, Action::use_engine},
    {"waits-unchecked", 6, Action::use_engine},
    {"order-uncertain", 3, Action::record_more},
    {"disturbances-unknown", 6, Action::use_engine},
    // Notes: the headline has these already, the user can change nothing, or another warning has the same
    // cause.
    {"beyond-data", 0},
    {"failed-run-left-out", 0},
    {"written-program", 0},
    {"written", 0},
    {"oversubscribed", 0},
    {"reserved-share", 0},
    {"one-sitting", 0},
    {"fitted-counts", 0},
    {"reconciled", 0},
    {"computing-scaled", 0},
    {"pure-costs", 0},
    {"message-cost", 0},
    {"own-messages", 0},
    {"evaluated-numerically", 0},
    {"upper-bound", 0},
    {"pipeline-approximate", 0},
    {"simulated", 0},
    {"interpreted", 0},
    {"assumed", 0},
    {"unnamed-argument", 0},
    {"given-twice", 0},
    {"summarised", 0},
    {"several-threads", 0},
};

/// A code without a row is printed, so that no warning is hidden by mistake.
constexpr Row kUnknown{"", 5, Action::look};

const Row& row_of(std::string_view code) {
  const auto* row = std::ranges::find(kRows, code, &Row::code);
  return row == std::end(kRows) ? kUnknown : *row;
}

/// All warnings of one code, the worst first.
struct Group {
  const Row* row = nullptr;
  std::vector<const Warning*> warnings;
};

double weight(const Warning& warning) {
  const auto at = warning.numbers.find("weight");
  return at == warning.numbers.end() ? 0 : at->second;
}

std::vector<Group> by_code(std::span<const Warning> warnings) {
  std::vector<Group> out;
  for (const Warning& warning : warnings) {
    auto at = std::ranges::find_if(
        out, [&](const Group& group) { return group.warnings.front()->code == warning.code; });
    if (at == out.end()) at = out.insert(out.end(), {&row_of(warning.code), {}});
    at->warnings.push_back(&warning);
  }
  for (Group& group : out)
    std::ranges::stable_sort(group.warnings, std::greater<>(),
                             [](const Warning* each) { return weight(*each); });
  return out;
}

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? format_exact(value)
                                                              : format_significant(value, 3);
}

/// Returns the pieces of the warnings, each once: "allreduce, barrier and reduce".
std::string names_in(const Group& group) {
  std::vector<std::string> names;
  for (const Warning* each : group.warnings)
    if (std::ranges::find(names, each->about) == names.end()) names.push_back(each->about);
  std::string last = std::move(names.back());
  names.pop_back();
  return visible(names.empty() ? last : join(names, ", ") + " and " + last);
}

/// Returns the value of a placeholder.
std::string value_of(const std::string& name, const Group& group) {
  const Warning& worst = *group.warnings.front();
  if (name == "about") return worst.about;
  if (name == "names") return names_in(group);
  if (name == "hint") return worst.hint;
  if (name == "count") return std::to_string(group.warnings.size());
  const bool seconds = name.ends_with(" s");
  const auto number = worst.numbers.find(seconds ? name.substr(0, name.size() - 2) : name);
  if (number == worst.numbers.end()) return "?";
  return seconds ? format_seconds(number->second) : number_text(number->second);
}

std::string filled(std::string_view sentence, const Group& group) {
  std::string out;
  while (!sentence.empty()) {
    const std::size_t open = sentence.find('{');
    out += sentence.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = sentence.find('}', open);
    out += value_of(std::string(sentence.substr(open + 1, close - open - 1)), group);
    sentence.remove_prefix(close + 1);
  }
  return out;
}

/// A sentence can be made from a pattern only where the warning has its data.
bool has_data(std::string_view pattern, const Group& group) {
  return !pattern.empty() &&
         (!group.warnings.front()->numbers.empty() || pattern.find("{about}") == std::string_view::npos);
}

std::string sentence_of(const Group& group) {
  const bool several = group.warnings.size() > 1;
  const std::string_view pattern =
      several && !group.row->several.empty() ? group.row->several : group.row->brief;
  const std::string first = in_full(*group.warnings.front());
  if (pattern == kAmbiguousOne && first.size() <= kMostOfFormulas) return first;
  if (has_data(pattern, group)) return filled(pattern, group);
  return several ? first + " (and " + std::to_string(group.warnings.size() - 1) + " more)" : first;
}

/// Returns the groups to print: the most urgent ones, each with another action.
std::vector<const Group*> chosen(const std::vector<Group>& groups, Subject subject) {
  const auto rank = [&](const Group* group) {
    return subject == Subject::model && group->row->rank_in_model > 0 ? group->row->rank_in_model
                                                                      : group->row->rank;
  };
  std::vector<const Group*> order;
  for (const Group& group : groups)
    if (rank(&group) > 0) order.push_back(&group);
  std::ranges::stable_sort(order, {}, rank);
  std::vector<const Group*> out;
  std::set<Action> actions;
  for (const Group* group : order)
    if (out.size() < kMost && actions.insert(group->row->action).second) out.push_back(group);
  return out;
}

std::string bullet(const Style& style, const char* mark, const std::string& sentence) {
  return wrapped(style, std::string("  ") + mark + " " + sentence, 4) + "\n";
}

}  // namespace

std::string in_full(const Warning& warning) {
  return visible(warning.text) + (warning.hint.empty() ? "" : "; " + visible(warning.hint));
}

std::string notes_text(std::span<const Warning> warnings, const Style& style, const std::string& details,
                       const std::string& how_to_see_all, Subject subject) {
  const std::vector<Group> groups = by_code(warnings);
  const std::vector<const Group*> first = chosen(groups, subject);
  std::string out;
  for (const Group* group : first) out += alert(style, bullet(style, "!", sentence_of(*group)));
  std::set<std::string> listed;
  std::size_t left_out = 0;  // sentences about what no printed sentence has
  std::string all;
  for (const Warning& warning : warnings) {
    const std::string sentence = in_full(warning);
    const auto shown = std::ranges::find_if(
        first, [&](const Group* group) { return group->warnings.front()->code == warning.code; });
    if (shown != first.end() && sentence_of(**shown) == sentence) continue;
    if (!listed.insert(sentence).second) continue;
    all += bullet(style, "-", sentence);
    left_out += shown == first.end();
  }
  if (style.notes) return out + details + all;
  if (left_out == 0) return out;
  return out +
         dim(style,
             "  " + counted(static_cast<std::int64_t>(left_out), "more note") + ": " + how_to_see_all) +
         "\n";
}

}  // namespace parcast::report
