// SPDX-License-Identifier: Apache-2.0
#include "language/flow.h"

#include <algorithm>

#include "language/totals.h"

namespace parcast::program::written {
namespace {

/// The preceding operation, and the number of loops entered since.
using Before = std::pair<std::uint32_t, std::uint32_t>;
using Ways = std::map<Before, Work>;

constexpr std::size_t kMostWays = 4096;

bool all_zero(const std::vector<Computing>& computing) {
  return std::ranges::all_of(
      computing, [](const Computing& each) { return each.parts.empty() && each.seconds.is_zero(); });
}

class Follower {
 public:
  Follower(std::uint32_t steps, const Source& source) : steps_(steps), source_(source) {}

  Result<Flows> follow(const std::vector<Stretch>& stretches) {
    Ways ways{{{steps_, 0}, {}}};
    PARCAST_ASSIGN(ways, through(stretches, std::move(ways)));
    PARCAST_TRY(note(steps_, {}, ways));
    std::erase_if(flows_, [](const auto& each) { return all_zero(each.second); });
    return std::move(flows_);
  }

 private:
  Result<Ways> through(const std::vector<Stretch>& stretches, Ways ways) {
    for (const Stretch& stretch : stretches) {
      switch (stretch.kind) {
        case Stretch::Kind::work:
          for (auto& [before, work] : ways) work.add(stretch.work);
          break;
        case Stretch::Kind::operation: {
          PARCAST_TRY(note(stretch.id, stretch.at, ways));
          if (stretch.certain) ways.clear();
          std::erase_if(ways, [&](const auto& way) { return way.first.first == stretch.id; });
          ways[{stretch.id, 0}] = {};
          break;
        }
        case Stretch::Kind::loop: {
          PARCAST_ASSIGN(ways, through_loop(stretch, ways));
          break;
        }
      }
      if (ways.size() > kMostWays)
        return source_.error(stretch.at,
                             "there are more than " + std::to_string(kMostWays) + " ways to this statement");
    }
    return ways;
  }

  /// Follows the ways that execute an operation in the loop, round after round, and those that only compute
  /// in it.
  Result<Ways> through_loop(const Stretch& loop, const Ways& before) {
    const auto inside = [&](const Before& way) { return way.first >= loop.id && way.first < loop.end; };
    Ways entering;
    for (const auto& [way, work] : before) entering[{way.first, way.second + 1}] = work;
    PARCAST_ASSIGN(Ways after, through(loop.body, std::move(entering)));
    std::erase_if(after, [&](const auto& way) { return !inside(way.first); });
    if (loop.repeats) {
      PARCAST_ASSIGN(Ways again, through(loop.body, after));
      for (auto& [way, work] : again)
        if (inside(way)) after.try_emplace(way, std::move(work));
    }
    PARCAST_ASSIGN(const Work alone, computing_alone(loop));
    for (const auto& [way, work] : before) {
      if (inside(way)) continue;  // in an enclosing loop: its operations are executed again
      Work passed = work;
      passed.add(alone);
      after.insert_or_assign(way, std::move(passed));
    }
    return after;
  }

  /// Returns the computing of a rank that executes none of the loop's operations.
  Result<Work> computing_alone(const Stretch& loop) {
    Work all;
    for (const Stretch& stretch : loop.body) {
      if (stretch.kind == Stretch::Kind::work) all.add(stretch.work);
      if (stretch.kind != Stretch::Kind::loop) continue;
      PARCAST_ASSIGN(const Work inner, computing_alone(stretch));
      all.add(inner);
    }
    if (all.nothing()) return all;
    if (loop.statement->kind == Statement::Kind::condition)
      return where(*loop.statement, loop.factor, std::move(all), source_);
    Range rounds;
    rounds.count = loop.factor;
    return within(*loop.statement, rounds, std::move(all), source_);
  }

  Result<void> note(std::uint32_t step, Position at, const Ways& ways) {
    std::vector<Computing>& known = flows_[step];
    for (const auto& [before, work] : ways) {
      const Expression seconds = work.seconds();
      const auto same_way = std::ranges::find_if(known, [&](const Computing& each) {
        return each.after == before.first && each.loops == before.second;
      });
      if (same_way == known.end()) {
        known.push_back({before.first, before.second, seconds, work.origin(), work.parts});
      } else if (!(same_way->seconds == seconds)) {
        return source_.error(at,
                             "what is computed before this statement depends on how it was come to, and no "
                             "structure distinguishes these ways",
                             "move computing to before or behind the loops around");
      }
    }
    return {};
  }

  const std::uint32_t steps_;
  const Source& source_;
  Flows flows_;
};

}  // namespace

Result<Flows> flows_of(const std::vector<Stretch>& stretches, std::uint32_t steps, const Source& source) {
  return Follower(steps, source).follow(stretches);
}

}  // namespace parcast::program::written
