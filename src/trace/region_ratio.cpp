// SPDX-License-Identifier: Apache-2.0
#include "trace/region_ratio.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "recording/site_text.h"

namespace parcast::trace {
namespace {

constexpr double kMostRatio = 1e6;
constexpr std::size_t kNamed = 8;  // most regions named in an error

bool lies_in(const Place& place, const std::string& region) {
  return ("/" + place.region + "/").find("/" + region + "/") != std::string::npos ||
         recording::without_address(place.function) == region ||
         std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line) == region;
}

std::string known_regions(const Trace& trace) {
  std::set<std::string> names;
  for (const Place& place : trace.places)
    for (const std::string& name : {place.region, recording::without_address(place.function)})
      if (!name.empty()) names.insert(name);
  if (names.empty())
    return "it has none: mark regions in the program (parcast_region_begin), or record it with --stack";
  std::vector<std::string> list(names.begin(), names.end());
  const bool more = list.size() > kNamed;
  list.resize(std::min(list.size(), kNamed));
  return "there are " + join(list, ", ") + (more ? ", ..." : "");
}

using ItemSpan = std::span<const Item>;

class Scaling {
 public:
  explicit Scaling(std::vector<double> ratios) : ratios_(std::move(ratios)) {}

  Sequence scaled(const Sequence& sequence) {
    std::optional<std::uint32_t> last;
    for (const Item& item : sequence)
      if (item.what() == Item::What::operation) last = item.index();
    return last ? scaled(ItemSpan(sequence), *last) : sequence;
  }
  Time longest() const { return longest_; }

 private:
  static std::optional<std::uint32_t> first_operation(ItemSpan words) {
    const auto at = std::find_if(words.begin(), words.end(),
                                 [](Item item) { return item.what() == Item::What::operation; });
    return at == words.end() ? std::nullopt : std::optional(at->index());
  }

  Item compute(Time time, double ratio) {
    const double scaled = ratio == 1 ? 0
                                     : std::min(std::round(static_cast<double>(time) * ratio),
                                                2.0 * static_cast<double>(kLongest));
    const Time out = ratio == 1 ? time : static_cast<Time>(std::min(scaled, static_cast<double>(kLongest)));
    if (scaled > static_cast<double>(kLongest)) longest_ = kLongest + 1;
    longest_ = std::max(longest_, out);
    return Item::compute(out);
  }

  /// `follows`: the operation after these words.
  Sequence scaled(ItemSpan words, std::uint32_t follows) {
    Sequence out;
    for (std::size_t at = 0; at < words.size();) {
      const Item item = words[at++];
      if (item.what() == Item::What::operation) {
        out.push_back(item);
        continue;
      }
      const bool is_loop = item.what() == Item::What::loop;
      const ItemSpan body = words.subspan(at, is_loop ? item.words() : 0);
      at += body.size();
      const std::uint32_t next = first_operation(words.subspan(at)).value_or(follows);
      if (is_loop)
        add_loop(out, body, item.times(), next);
      else
        out.push_back(compute(item.time(), ratios_[next]));
    }
    return out;
  }

  void add_loop(Sequence& out, ItemSpan body, std::uint32_t rounds, std::uint32_t follows) {
    const std::uint32_t again = first_operation(body).value_or(follows);
    const Sequence last = scaled(body, follows);
    const Sequence others = rounds > 1 && ratios_[again] != ratios_[follows] ? scaled(body, again) : last;
    const bool alike = std::equal(others.begin(), others.end(), last.begin(), last.end(),
                                  [](Item a, Item b) { return a.word() == b.word(); });
    const std::uint32_t looped = alike ? rounds : rounds - 1;
    out.push_back(Item::loop(static_cast<std::uint32_t>(others.size()), looped));
    out.insert(out.end(), others.begin(), others.end());
    if (!alike) out.insert(out.end(), last.begin(), last.end());
  }

  std::vector<double> ratios_;  // one per operation
  Time longest_ = 0;
};

}  // namespace

Result<void> scale_regions(Trace& trace, std::span<const RegionRatio> ratios) {
  if (ratios.empty()) return {};
  std::vector<double> of_operation(trace.operations.size(), 1);
  for (const RegionRatio& each : ratios) {
    if (!(each.ratio >= 0 && each.ratio <= kMostRatio))
      return Error{
          "computing " + format_exact(each.ratio) + " times as long in " + each.region + " is out of range",
          "", "from 0 to 1e6 times"};
    bool found = false;
    for (std::size_t i = 0; i < of_operation.size(); ++i) {
      const std::uint32_t place = trace.operations[i].place;
      if (place == kNowhere || !lies_in(trace.places[place], each.region)) continue;
      of_operation[i] *= each.ratio, found = true;
    }
    if (!found) return Error{"no call lies in " + each.region, trace.program, known_regions(trace)};
  }
  Scaling scaling(std::move(of_operation));
  std::vector<Sequence> sequences;
  for (const Sequence& sequence : trace.sequences) sequences.push_back(scaling.scaled(sequence));
  if (scaling.longest() > kLongest)
    return Error{"with these ratios computing takes longer than a simulation can last (26 days)",
                 trace.program, "ask for smaller ones"};
  trace.sequences = std::move(sequences);
  for (const RegionRatio& each : ratios)
    trace.assumptions.push_back("computing in " + each.region + " takes " + format_exact(each.ratio) +
                                " times as long as recorded, as asked");
  return {};
}

}  // namespace parcast::trace
