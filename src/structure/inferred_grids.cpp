// SPDX-License-Identifier: Apache-2.0
#include "structure/inferred_grids.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using Extents = std::vector<std::int32_t>;

constexpr std::size_t kMostTurns =
    24;  // messages of one call on one rank that are distinguished by their order

/// A message: its call, which of that call's messages on its sender it was, and both ranks.
struct Sent {
  std::pair<std::uint32_t, std::size_t> turn;
  std::int32_t from = 0, to = 0;

  auto operator<=>(const Sent&) const = default;
};

/// Calls have one number in all runs.
class Calls {
 public:
  std::uint32_t number(const trace::Place& place) {
    const auto key = std::tuple(place.region, place.function, place.file, place.line, place.call);
    return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string, std::int32_t, std::string>, std::uint32_t>
      numbers_;
};

std::set<Sent> messages_of(const trace::Trace& trace, Calls& calls) {
  std::vector<std::uint32_t> call_of;
  for (const trace::Place& place : trace.places) call_of.push_back(calls.number(place));
  std::set<Sent> out;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    std::map<std::uint32_t, std::size_t> turns;
    trace::Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
    while (walker.next()) {
      if (walker.item().what() != trace::Item::What::operation) continue;
      const trace::Operation& operation = trace.operations[walker.item().index()];
      const bool sends = operation.kind == trace::Kind::send || operation.kind == trace::Kind::start_send;
      if (!sends || operation.place == trace::kNowhere) continue;
      const std::uint32_t call = call_of[operation.place];
      if (const std::size_t turn = turns[call]++; turn < kMostTurns)
        out.insert({{call, turn}, rank, rank + operation.peer});
    }
  }
  return out;
}

void add_factors(std::int32_t rest, int dimensions, Extents& head, std::vector<Extents>& out) {
  if (dimensions == 1) {
    head.push_back(rest);
    out.push_back(head);
    head.pop_back();
    return;
  }
  for (std::int32_t extent = 1; extent <= rest; ++extent) {
    if (rest % extent != 0) continue;
    head.push_back(extent);
    add_factors(rest / extent, dimensions - 1, head, out);
    head.pop_back();
  }
}

Extents coordinates_of(std::int32_t rank, const Extents& extents) {
  Extents out(extents.size());
  for (std::size_t k = extents.size(); k-- > 0; rank /= extents[k]) out[k] = rank % extents[k];
  return out;
}

/// Bit k: the message moves one step along dimension k, around the end or not. Nothing: it goes further.
std::optional<unsigned> moved(const Sent& message, const Extents& extents) {
  const Extents from = coordinates_of(message.from, extents), to = coordinates_of(message.to, extents);
  unsigned dimensions = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::int32_t by = std::abs(from[k] - to[k]);
    if (by == 0) continue;
    if (by != 1 && by != extents[k] - 1) return std::nullopt;
    dimensions |= 1U << k;
  }
  return dimensions;
}

/// Along which dimensions each turn of a call goes.
using Directions = std::map<std::pair<std::uint32_t, std::size_t>, std::set<unsigned>>;

struct Choice {
  Extents extents;
  Directions directions;
  std::size_t along_several = 0;  // messages over edges and corners
};

/// Extents with which all partners are neighbours; of these the ones with fewest messages over edges and
/// corners.
std::vector<Choice> choices_of(std::int32_t processes, int dimensions, const std::set<Sent>& messages) {
  std::vector<Extents> all;
  Extents head;
  add_factors(processes, dimensions, head, all);
  std::vector<Choice> out;
  for (Extents& extents : all) {
    Choice choice{std::move(extents), {}, 0};
    const bool explained = std::ranges::all_of(messages, [&](const Sent& message) {
      const auto along = moved(message, choice.extents);
      if (!along) return false;
      if (*along != 0) choice.directions[message.turn].insert(*along);
      choice.along_several += (*along & (*along - 1)) != 0;
      return true;
    });
    if (explained) out.push_back(std::move(choice));
  }
  if (out.empty()) return out;
  const std::size_t fewest = std::ranges::min(out, {}, &Choice::along_several).along_several;
  std::erase_if(out, [&](const Choice& choice) { return choice.along_several > fewest; });
  return out;
}

/// Turns of calls that go along the same dimensions in both, less those that do not.
std::int64_t agreement(const Directions& a, const Directions& b) {
  std::int64_t score = 0;
  for (const auto& [turn, along] : a)
    if (const auto other = b.find(turn); other != b.end()) score += along == other->second ? 1 : -1;
  return score;
}

/// Ambiguous extents follow those of the other process counts, the largest first.
std::map<std::int32_t, Extents> consistent(std::map<std::int32_t, std::vector<Choice>> choices) {
  std::vector<const Directions*> resolved;
  for (auto at = choices.rbegin(); at != choices.rend(); ++at)
    if (at->second.size() == 1) resolved.push_back(&at->second.front().directions);
  std::map<std::int32_t, Extents> out;
  for (auto at = choices.rbegin(); at != choices.rend(); ++at) {
    const auto score = [&](const Choice& choice) {
      std::int64_t sum = 0;
      for (const Directions* other : resolved) sum += agreement(choice.directions, *other);
      return sum;
    };
    const Choice& best = *std::ranges::max_element(at->second, {}, score);
    if (at->second.size() > 1) resolved.push_back(&best.directions);
    out.emplace(at->first, best.extents);
  }
  return out;
}

Extents reversed(Extents extents) {
  std::ranges::reverse(extents);
  return extents;
}

}  // namespace

std::vector<ProcessGrid> inferred_grids(const std::vector<TracedRun>& runs) {
  Calls calls;
  std::map<std::int32_t, std::set<Sent>> messages;
  for (const TracedRun& run : runs) messages[run.run.processes].merge(messages_of(run.trace, calls));
  std::vector<ProcessGrid> out;
  for (int d = 2; d <= kMostDimensions; ++d) {
    std::map<std::int32_t, std::vector<Choice>> choices;
    for (const auto& [processes, sent] : messages) choices[processes] = choices_of(processes, d, sent);
    if (choices.empty() || std::ranges::any_of(choices, [](const auto& of) { return of.second.empty(); }))
      continue;
    const auto extents = consistent(std::move(choices));
    const auto as = [&](auto expected, std::int32_t least) {
      return std::ranges::all_of(extents, [&](const auto& each) {
        return each.first < least || each.second == expected(balanced_dimensions(each.first, d));
      });
    };
    if (as(std::identity(), 1) || as(reversed, 1)) continue;
    constexpr std::int32_t kWithARule = 4;  // two or three processes are a line in any grid
    ProcessGrid grid{.dimensions = d, .recorded = extents};
    grid.ascending = !as(std::identity(), kWithARule) && as(reversed, kWithARule);
    grid.from_dims_create = grid.ascending || as(std::identity(), kWithARule);
    out.push_back(std::move(grid));
  }
  return out;
}

}  // namespace parcast::program
