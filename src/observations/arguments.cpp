// SPDX-License-Identifier: Apache-2.0
#include "observations/arguments.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "model/binding.h"

namespace parcast::program {
namespace {

using recording::Recording;

constexpr std::size_t kRoom = 1022;  // bytes of a command line that a recording always has in full

struct Word {
  std::string key;    // name of the parameter that it could be
  std::string place;  // "after -n", "in word 3"
  std::string text;
};
using WordList = std::vector<Word>;

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !parse_double(word);
}

/// Returns the word with letters, digits and underscores only; empty if it does not begin with a letter.
std::string name_in(std::string_view word) {
  while (!word.empty() && word.front() == '-') word.remove_prefix(1);
  if (word.empty() || !std::isalpha(static_cast<unsigned char>(word[0]))) return {};
  std::string out(word);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

/// Returns the numbers in "64x64x32" or "64,64,32"; any other text is one part.
std::vector<std::string> parts_of(const std::string& text) {
  if (text.starts_with("0x")) return {text};
  for (const char separator : {'x', ',', ':'}) {
    std::vector<std::string> parts = split(text, separator);
    if (parts.size() > 1 &&
        std::ranges::all_of(parts, [](const std::string& part) { return parse_double(part).has_value(); }))
      return parts;
  }
  return {text};
}

class CommandReader {
 public:
  WordList read(const std::vector<std::string>& command) {
    std::size_t alone = 0;  // words that follow no option
    for (std::size_t i = 1; i < command.size(); ++i) {
      const std::string& word = command[i];
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos && !name_in(word.substr(0, equals)).empty()) {
        add(name_in(word.substr(0, equals)), "after " + word.substr(0, equals + 1), word.substr(equals + 1));
        close();
      } else if (is_option(word)) {
        take_option(word);
      } else if (!option_.empty()) {
        add(named_.empty() ? name_in(option_) : named_,
            "after " + option_ + (named_.empty() ? "" : " " + named_), word);
        // In "-var x 20" the number is the value of x. A word after a number belongs to no option.
        const bool names =
            named_.empty() && parts_of(word).size() == 1 && !parse_double(word) && name_in(word) == word;
        named_ = names ? word : "";
        taken_ = true;
        if (!names) close();
      } else {
        ++alone;
        add("arg" + std::to_string(alone), "in word " + std::to_string(i), word);
      }
    }
    close();
    return std::move(words_);
  }

 private:
  /// Ends an option. An option without a value is a word itself.
  void close() {
    if (!option_.empty() && !taken_) words_.push_back({"", "by " + option_, ""});
    option_.clear(), named_.clear(), taken_ = false;
  }
  void take_option(const std::string& word) {
    close();
    // -n64
    if (word.size() > 2 && std::isalpha(static_cast<unsigned char>(word[1])) && parse_double(word.substr(2)))
      add(word.substr(1, 1), "after " + word.substr(0, 2), word.substr(2));
    else
      option_ = word;
  }
  void add(const std::string& key, const std::string& place, const std::string& text) {
    const std::vector<std::string> parts = parts_of(text);
    for (std::size_t k = 0; k < parts.size(); ++k)
      words_.push_back({parts.size() > 1 ? key + "_" + std::to_string(k + 1) : key, place, parts[k]});
  }

  WordList words_;
  std::string option_, named_;  // the option of the next word, and the name that followed the option
  bool taken_ = false;          // a word followed the option
};

/// The text at one place of the command line in each recording; empty if it is absent there.
struct WordColumn {
  std::string key, place;
  std::vector<std::optional<std::string>> texts;

  bool everywhere() const {
    return std::ranges::all_of(texts, [](const auto& text) { return text.has_value(); });
  }
  bool varies() const {
    return std::ranges::any_of(texts, [&](const auto& text) { return text != texts.front(); });
  }
  std::optional<std::vector<double>> numbers() const {
    std::vector<double> out;
    for (const auto& text : texts) {
      const auto number = text ? parse_double(*text) : std::nullopt;
      if (!number || !std::isfinite(*number)) return std::nullopt;
      out.push_back(*number);
    }
    return out;
  }
};

std::vector<WordColumn> columns_of(const std::vector<WordList>& all) {
  std::vector<WordColumn> columns;
  // by key and occurrence: an option may occur twice
  std::map<std::pair<std::string, std::size_t>, std::size_t> at;
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::map<std::string, std::size_t> met;
    for (const Word& word : all[r]) {
      const std::string which = word.key.empty() ? word.place : word.key;
      const std::size_t often = ++met[which];
      const auto [found, is_new] = at.emplace(std::pair(which, often), columns.size());
      if (is_new)
        columns.push_back({often == 1 || word.key.empty() ? word.key : word.key + "_" + std::to_string(often),
                           word.place, std::vector<std::optional<std::string>>(all.size())});
      columns[found->second].texts[r] = word.text;
    }
  }
  return columns;
}

/// Returns whether recordings with equal values in `given` have equal texts in the column.
bool follows(const WordColumn& column, const std::vector<std::vector<double>>& given) {
  std::map<std::vector<double>, std::optional<std::string>> seen;
  for (std::size_t r = 0; r < given.size(); ++r)
    if (const auto [at, is_new] = seen.emplace(given[r], column.texts[r]);
        !is_new && at->second != column.texts[r])
      return false;
  return true;
}

std::string some_of(const WordColumn& column) {
  std::set<std::string> texts;
  for (const auto& text : column.texts) texts.insert(text ? *text : "nothing");
  std::vector<std::string> shown(texts.begin(), texts.end());
  if (shown.size() > 3) shown.resize(3), shown.emplace_back("...");
  return join(shown, ", ");
}

/// Returns "small.txt: recordings 1, 3; large.txt: recording 2". Numbers are positions in the given order,
/// groups in order of first occurrence.
std::string groups_of(const WordColumn& column) {
  constexpr std::size_t kMostGroups = 4, kMostListed = 8;
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> members;
  for (std::size_t r = 0; r < column.texts.size(); ++r) {
    const std::string name = !column.key.empty() ? column.texts[r].value_or("without")
                             : column.texts[r]   ? "with it"
                                                 : "without";
    if (!members.contains(name)) names.push_back(name);
    members[name].push_back(std::to_string(r + 1));
  }
  if (names.size() > kMostGroups) return "";
  std::vector<std::string> groups;
  for (const std::string& name : names) {
    std::vector<std::string>& all = members[name];
    const std::string noun = all.size() == 1 ? "recording " : "recordings ";
    if (all.size() > kMostListed) all.resize(kMostListed), all.emplace_back("...");
    groups.push_back(name + ": " + noun + join(all, ", "));
  }
  return join(groups, "; ");
}

std::string advice_for(const WordColumn& column) {
  const std::string groups = groups_of(column);
  return "record with --param NAME=... what that changes" +
         (groups.empty() ? "" : ", or make a model of each group (" + groups + ")");
}

class Taking {
 public:
  explicit Taking(std::vector<Recording>& recordings) : recordings_(recordings) {
    for (const Recording& recording : recordings) {
      std::vector<double> values;
      for (const auto& [name, value] : recording.parameters) values.push_back(value), any_ = true;
      given_.push_back(std::move(values));
    }
    numbers_ = given_;
    for (std::size_t r = 0; r < recordings.size(); ++r) numbers_[r].push_back(recordings[r].processes);
    counted_ = std::ranges::all_of(recordings, [](const Recording& r) {
      return !r.ranks.empty() && !r.ranks.front().counted.modules.empty();
    });
  }

  std::vector<Notice> take(const std::vector<WordColumn>& columns) {
    std::vector<const WordColumn*> others;
    for (const WordColumn& column : columns) {
      const auto numbers = column.numbers();
      if (!numbers || column.key.empty()) {
        if (column.varies()) others.push_back(&column);
      } else if (represents_itself(column, *numbers)) {
        add(column, *numbers);
      }
    }
    std::vector<Notice> out;
    if (!taken_.empty())
      out.push_back({"argument", "numbers of the command line are parameters: " + join(taken_, ", "),
                     "--param at recording gives others, parcast model --no-arguments takes none"});
    for (const WordColumn* other : others)
      if (!follows(*other, numbers_))
        out.push_back({"unnamed-argument",
                       "the command lines differ " + other->place + " (" +
                           (other->key.empty() ? "not in all" : some_of(*other)) + ")",
                       advice_for(*other)});
    return out;
  }

 private:
  bool represents_itself(const WordColumn& column, const std::vector<double>& numbers) const {
    if (!column.varies() && (any_ || !counted_)) return false;
    bool processes = true;
    for (std::size_t r = 0; r < recordings_.size(); ++r) processes &= numbers[r] == recordings_[r].processes;
    if (processes || (any_ && follows(column, given_))) return false;
    return std::ranges::find(values_, numbers) == values_.end();
  }

  void add(const WordColumn& column, const std::vector<double>& numbers) {
    static const auto reserved = symbol_kinds({});
    std::string name = column.key;
    while (reserved.contains(name) ||
           std::ranges::any_of(recordings_, [&](const Recording& r) { return r.parameters.contains(name); }))
      name += "_arg";
    for (std::size_t r = 0; r < recordings_.size(); ++r)
      recordings_[r].parameters[name] = numbers[r], numbers_[r].push_back(numbers[r]);
    values_.push_back(numbers);
    taken_.push_back(name + " " + column.place);
  }

  std::vector<Recording>& recordings_;
  std::vector<std::vector<double>> given_;    // by recording: values of its parameters
  std::vector<std::vector<double>> numbers_;  // with the process count and the added numbers
  std::vector<std::vector<double>> values_;   // added numbers, by recording
  std::vector<std::string> taken_;
  bool any_ = false, counted_ = false;
};

}  // namespace

std::vector<Notice> take_arguments(std::vector<Recording>& recordings) {
  std::vector<WordList> all;
  for (const Recording& recording : recordings) {
    if (recording.ranks.empty() || recording.ranks.front().command.empty()) return {};
    std::vector<std::string> command = recording.ranks.front().command;
    std::size_t bytes = 0;
    for (const std::string& word : command) bytes += word.size() + 1;
    if (bytes > kRoom) command.pop_back();  // it may be truncated
    all.push_back(CommandReader().read(command));
  }
  if (all.empty()) return {};
  return Taking(recordings).take(columns_of(all));
}

}  // namespace parcast::program
