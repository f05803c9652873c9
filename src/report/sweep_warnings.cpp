// SPDX-License-Identifier: Apache-2.0
// Merges similar warnings of a sweep's points into one line: "p = 16 .. 128 is 2.667 .. 21.33 times the
// largest recorded".
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "report/sweep_axes.h"
#include "report/sweep_text.h"
#include "report/table.h"
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
    Phrase phrase;
    std::size_t text = 0;  // number of the text
    std::size_t kind = 0;  // equal for warnings that differ only in their numbers
  };

  const Known& of(const predict::Warning& warning) {
    const auto [known, is_new] = known_.try_emplace(warning.code + '\n' + warning.text + '\n' + warning.hint);
    if (is_new) {
      Known& out = known->second;
      out.phrase = phrase_of(visible(warning.text) + (warning.hint.empty() ? "" : "; " + visible(warning.hint)));
      out.text = known_.size();
      out.kind = kinds_.try_emplace({warning.code, out.phrase.pieces}, kinds_.size()).first->second;
    }
    return known->second;
  }

 private:
  std::unordered_map<std::string, Known> known_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> kinds_;
};

/// Warnings of several points that differ only in their numbers.
struct Group {
  Phrase phrase;  // of the first warning
  std::vector<std::string> least, most;
  std::map<std::string, int> points;  // number of points by machine
  std::set<std::size_t> texts;

  /// `text`: a number of the complete text; equal ones have equal numbers.
  void add(const Phrase& other, std::size_t text, const std::string& machine) {
    if (points.empty()) phrase = other, least = most = other.numbers;
    ++points[machine];
    if (!texts.insert(text).second) return;
    for (std::size_t i = 0; i < other.numbers.size(); ++i) {
      const double value = *parse_double(other.numbers[i]);
      if (value < *parse_double(least[i])) least[i] = other.numbers[i];
      if (value > *parse_double(most[i])) most[i] = other.numbers[i];
    }
  }

  /// Returns the names of the machines with this warning; empty if all `machines` have it.
  std::string subject(const std::vector<std::string>& machines) const {
    std::string out;
    for (const std::string& machine : machines)
      if (points.contains(machine) && points.size() < machines.size()) out += (out.empty() ? "" : ", ") + visible(machine);
    return out.empty() ? "" : out + ": ";
  }

  /// Returns the largest number of points on one machine.
  int count() const {
    int out = 0;
    for (const auto& [machine, each] : points) out = std::max(out, each);
    return out;
  }

  std::string text() const {
    std::string out = phrase.pieces[0];
    for (std::size_t i = 0; i < least.size(); ++i)
      out += (least[i] == most[i] ? least[i] : least[i] + " .. " + most[i]) + phrase.pieces[i + 1];
    return out;
  }
};

}  // namespace

std::string sweep_warnings(const std::vector<predict::Prediction>& points, const Style& style) {
  Phrases phrases;
  // If one point has several similar warnings, the second is grouped with the second of other points.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // by kind and place among similar ones
  std::vector<Group> groups;
  for (const predict::Prediction& point : points) {
    std::vector<std::size_t> kinds;
    for (const auto& warning : point.warnings) {
      const Phrases::Known& phrase = phrases.of(warning);
      const auto nth = static_cast<std::size_t>(std::ranges::count(kinds, phrase.kind));
      kinds.push_back(phrase.kind);
      const auto [at, fresh] = known.try_emplace({phrase.kind, nth}, groups.size());
      if (fresh) groups.emplace_back();
      groups[at->second].add(phrase.phrase, phrase.text, point.machine);
    }
  }
  const std::vector<std::string> machines = machines_of(points);
  std::string out;
  for (const Group& group : groups)
    out += alert(style, wrapped(style, "  ! " + group.subject(machines) + group.text() + (points.size() > machines.size() ? " (" + counted(group.count(), "point") + ")" : ""), 4)) +
           "\n";
  return out;
}

}  // namespace parcast::report
