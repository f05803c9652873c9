// SPDX-License-Identifier: Apache-2.0
// Merges similar warnings of a sweep's points into one line: "p = 16 .. 128 is 2.667 .. 21.33 times the
// largest recorded".
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "report/checks_text.h"
#include "report/notes.h"
#include "report/sweep_axes.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace parcast::report {
namespace {

/// A text with numbers between its pieces: one piece more than numbers. Digits within names, formulas and
/// places ("heat.c:31", "48*N") are no numbers.
struct Phrase {
  std::vector<std::string> pieces{""};
  std::vector<std::string> numbers;
};

/// The position of the number that `word` begins with, after an opening bracket if any. Empty if there is
/// none, or if it is part of something else.
struct Place {
  std::size_t begin = 0, length = 0;
};
Place number_in(std::string_view word) {
  const std::size_t begin = word.starts_with('(') ? 1 : 0;
  const std::size_t end = word.find_last_not_of(".,;:)%") + 1;
  if (end <= begin || !parse_double(word.substr(begin, end - begin))) return {};
  return {begin, end - begin};
}

Phrase phrase_of(const std::string& text) {
  Phrase out;
  bool first = true;
  for (const std::string& word : split(text, ' ')) {
    out.pieces.back() += first ? "" : " ";
    first = false;
    const Place at = number_in(word);
    out.pieces.back() += word.substr(0, at.length > 0 ? at.begin : word.size());
    if (at.length == 0) continue;
    out.numbers.push_back(word.substr(at.begin, at.length));
    out.pieces.push_back(word.substr(at.begin + at.length));
  }
  return out;
}

/// The phrases of warnings, each distinct text taken apart once.
class Phrases {
 public:
  struct Known {
    Phrase text, hint;
    std::size_t number = 0;  // equal for equal warnings
    std::size_t kind = 0;    // equal for warnings that differ only in their numbers
  };

  const Known& of(const predict::Warning& warning) {
    const auto [known, is_new] = known_.try_emplace(warning.code + '\n' + warning.text + '\n' + warning.hint);
    if (is_new) {
      Known& out = known->second;
      out.text = phrase_of(visible(warning.text)), out.hint = phrase_of(visible(warning.hint));
      out.number = known_.size();
      out.kind =
          kinds_.try_emplace({warning.code, out.text.pieces, out.hint.pieces}, kinds_.size()).first->second;
    }
    return known->second;
  }

 private:
  std::unordered_map<std::string, Known> known_;
  std::map<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>, std::size_t> kinds_;
};

/// A text with the ranges of its numbers over several points.
class Merged {
 public:
  void add(const Phrase& other) {
    if (empty_) phrase_ = other, least_ = most_ = other.numbers, empty_ = false;
    for (std::size_t i = 0; i < other.numbers.size(); ++i) {
      const double value = *parse_double(other.numbers[i]);
      if (value < *parse_double(least_[i])) least_[i] = other.numbers[i];
      if (value > *parse_double(most_[i])) most_[i] = other.numbers[i];
    }
  }
  std::string text() const {
    std::string out = phrase_.pieces[0];
    for (std::size_t i = 0; i < least_.size(); ++i)
      out += (least_[i] == most_[i] ? least_[i] : least_[i] + " .. " + most_[i]) + phrase_.pieces[i + 1];
    return out;
  }

 private:
  bool empty_ = true;
  Phrase phrase_;
  std::vector<std::string> least_, most_;
};

/// Warnings of several points that differ only in their numbers.
struct WarningGroup {
  predict::Warning warning;  // of the last point
  Merged text, hint;
  std::map<std::string, int> points;  // number of points by machine
  std::set<std::size_t> numbers;      // of the merged warnings

  void add(const predict::Warning& other, const Phrases::Known& phrase, const std::string& machine) {
    ++points[machine];
    warning = other;
    if (!numbers.insert(phrase.number).second) return;
    text.add(phrase.text), hint.add(phrase.hint);
  }

  /// Returns the names of the machines with this warning; empty if all `machines` have it.
  std::string subject(const std::vector<std::string>& machines) const {
    std::string out;
    for (const std::string& machine : machines)
      if (points.contains(machine) && points.size() < machines.size())
        out += (out.empty() ? "" : ", ") + visible(machine);
    return out.empty() ? "" : out + ": ";
  }

  /// Returns the largest number of points on one machine.
  int count() const {
    int out = 0;
    for (const auto& [machine, each] : points) out = std::max(out, each);
    return out;
  }

  /// Returns the warning about all points.
  predict::Warning merged(const std::vector<std::string>& machines, bool counts_points) const {
    predict::Warning out = warning;
    out.text =
        subject(machines) + text.text() + (counts_points ? " (" + counted(count(), "point") + ")" : "");
    out.hint = hint.text();
    return out;
  }
};

}  // namespace

std::string sweep_warnings(const std::vector<predict::Prediction>& points, const Style& style) {
  Phrases phrases;
  // If one point has several similar warnings, the second is grouped with the second of other points.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // by kind and place among similar ones
  std::vector<WarningGroup> groups;
  for (const predict::Prediction& point : points) {
    std::vector<std::size_t> kinds;
    for (const auto& warning : point.warnings) {
      const Phrases::Known& phrase = phrases.of(warning);
      const auto nth = static_cast<std::size_t>(std::ranges::count(kinds, phrase.kind));
      kinds.push_back(phrase.kind);
      const auto [at, fresh] = known.try_emplace({phrase.kind, nth}, groups.size());
      if (fresh) groups.emplace_back();
      groups[at->second].add(warning, phrase, point.machine);
    }
  }
  const std::vector<std::string> machines = machines_of(points);
  std::vector<predict::Warning> merged;
  for (const WarningGroup& group : groups)
    merged.push_back(group.merged(machines, points.size() > machines.size()));
  const bool checked = !points.empty() && points.front().checks;
  return notes_text(merged, style, checked ? checks_line(*points.front().checks, style) : "");
}

}  // namespace parcast::report
