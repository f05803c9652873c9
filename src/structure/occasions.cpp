// SPDX-License-Identifier: Apache-2.0
#include "structure/occasions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace parcast::program {
namespace {

bool same(const Token& a, const Token& b) {
  return a.key == b.key && a.number == b.number;
}

std::vector<Token> always_done(const Iterations& of) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < of.all.size(); ++i)
    if (of.always[i]) out.push_back(of.all[i]);
  return out;
}

/// Returns how often the shortest sequence whose repetition gives `of` occurs in it (Knuth, Morris, Pratt
/// 1977).
std::int64_t repetitions(const std::vector<Token>& of) {
  std::vector<std::size_t> border(of.size() + 1, 0);
  for (std::size_t i = 1, length = 0; i < of.size(); ++i) {
    while (length > 0 && !same(of[i], of[length])) length = border[length];
    if (same(of[i], of[length])) ++length;
    border[i + 1] = length;
  }
  const std::size_t period = of.size() - border[of.size()];
  return of.size() % period == 0 ? static_cast<std::int64_t>(of.size() / period) : 1;
}

/// Counts the rounds, equal for the ranks of one run; a body may still be the same twice.
bool count_rounds(std::vector<Iterations>& of) {
  std::map<std::size_t, std::int64_t> least;  // by run
  for (Iterations& rank : of) {
    const auto base = always_done(rank);
    if (base.empty()) return false;
    rank.rounds = repetitions(base);
    const auto [at, is_new] = least.emplace(rank.run, rank.rounds);
    if (!is_new) at->second = std::min(at->second, rank.rounds);
  }
  for (Iterations& rank : of) {
    if (rank.rounds % least.at(rank.run) != 0) return false;
    rank.rounds = least.at(rank.run);
  }
  return true;
}

/// An operation that not all iterations have. Between two iterations it may belong to the end of one or the
/// start of the other.
struct Extra {
  std::int64_t iteration = 0;
  // Number of the iteration's operations before it; 0: between two iterations.
  std::size_t slot = 0;
  Token token;
};

std::vector<Extra> extras_of(const Iterations& rank) {
  std::vector<Extra> out;
  const auto base = static_cast<std::size_t>(std::ranges::count(rank.always, true));
  const std::size_t length = base / static_cast<std::size_t>(rank.rounds);
  std::size_t before = 0;
  for (std::size_t i = 0; i < rank.all.size(); ++i) {
    if (rank.always[i])
      ++before;
    else
      out.push_back({static_cast<std::int64_t>(before / length), before % length, rank.all[i]});
  }
  return out;
}

/// Returns the iterations that have a key, ascending. An operation between two iterations counts for the
/// second if `starts`, otherwise for the first.
std::set<std::int64_t> iterations_with(const std::vector<Extra>& extras, std::uint32_t key, bool starts) {
  std::set<std::int64_t> out;
  for (const Extra& extra : extras)
    if (extra.token.key == key) out.insert(extra.iteration - (extra.slot == 0 && !starts));
  return out;
}

/// Operations after an iteration's own ones, as keys.
using Ending = std::vector<std::uint32_t>;

/// Returns what follows each iteration, by iteration; the last element follows the last one. Omitted are
/// operations that follow all iterations, or precede all: other ranks have these inside of theirs.
std::map<std::int64_t, Ending> endings_of(const Iterations& rank) {
  std::map<std::int64_t, Ending> all, out;
  std::map<std::uint32_t, std::int64_t> often;  // iterations with the key
  for (const Extra& extra : extras_of(rank))
    if (extra.slot == 0 && extra.iteration > 0) all[extra.iteration - 1].push_back(extra.token.key);
  for (const auto& [iteration, ending] : all)
    for (const std::uint32_t key : std::set(ending.begin(), ending.end())) ++often[key];
  for (const auto& [iteration, ending] : all)
    for (const std::uint32_t key : ending)
      if (rank.rounds <= 2 || often[key] < rank.rounds - 1) out[iteration].push_back(key);
  return out;
}

/// Returns the recurrences that have these occasions (by run): first one of a constant period, then those of
/// a parameter.
std::vector<Recurrence> recurrences_of(const std::map<std::size_t, Occasion>& seen,
                                       const ParametersOf& parameters_of) {
  if (seen.empty()) return {};
  const Occasion& first = seen.begin()->second;
  const std::size_t parameters = parameters_of(seen.begin()->first).size();
  std::vector<Recurrence> possible{{first.every, first.offset, -1}};
  for (std::size_t v = 0; v < parameters; ++v) {
    possible.push_back({1, first.offset, static_cast<int>(v)});
    possible.push_back({1, first.offset - first.every, static_cast<int>(v)});
  }
  std::erase_if(possible, [&](const Recurrence& each) {
    return std::ranges::any_of(seen, [&](const auto& of_run) {
      const std::vector<double>& values = parameters_of(of_run.first);
      const bool is_period = each.parameter < 0 || values[static_cast<std::size_t>(each.parameter)] ==
                                                       static_cast<double>(of_run.second.every);
      return !is_period || each.in(values) != of_run.second;
    });
  });
  return possible;
}

/// What ends some iterations of all runs.
struct CommonEnding {
  Ending keys;
  Recurrence when;
};

/// Finds what ends some iterations, from the first rank of each run that has it at least twice before its
/// last iteration.
std::optional<CommonEnding> common_ending(const std::vector<Iterations>& of,
                                          const ParametersOf& parameters_of) {
  Ending keys;
  std::map<std::size_t, Occasion> seen;
  for (const Iterations& rank : of) {
    if (seen.contains(rank.run)) continue;
    std::map<std::int64_t, Ending> endings = endings_of(rank);
    endings.erase(rank.rounds - 1);
    if (endings.size() < 2) continue;
    const std::int64_t first = endings.begin()->first, every = std::next(endings.begin())->first - first;
    if (first >= every) continue;
    if (seen.empty()) keys = endings.begin()->second;
    seen[rank.run] = {every, first};
  }
  const std::vector<Recurrence> all = recurrences_of(seen, parameters_of);
  if (all.empty()) return std::nullopt;
  return CommonEnding{std::move(keys), all.front()};
}

bool starts_with(const Ending& ending, const Ending& start) {
  return ending.size() >= start.size() && std::equal(start.begin(), start.end(), ending.begin());
}

/// Moves operations after the last iteration that are no part of it to the surplus. Returns whether there are
/// any.
bool cut_endings(std::vector<Iterations>& of, const ParametersOf& parameters_of) {
  const std::optional<CommonEnding> common = common_ending(of, parameters_of);
  if (!common) return false;
  bool any = false;
  for (Iterations& rank : of) {
    const std::map<std::int64_t, Ending> endings = endings_of(rank);
    const auto last = endings.find(rank.rounds - 1);
    if (last == endings.end()) continue;
    std::size_t own = 0;
    if (common->when.in(parameters_of(rank.run)).is_at(rank.rounds - 1)) {
      if (!starts_with(last->second, common->keys)) return false;
      own = common->keys.size();
    }
    const std::size_t kept = rank.all.size() - (last->second.size() - own);
    any = any || kept < rank.all.size();
    rank.surplus.assign(rank.all.begin() + static_cast<std::ptrdiff_t>(kept), rank.all.end());
    rank.all.resize(kept), rank.always.resize(kept);
  }
  return any;
}

bool are_all(const std::set<std::int64_t>& iterations, const Occasion& occasion, std::int64_t rounds) {
  std::int64_t next = occasion.offset;
  for (const std::int64_t iteration : iterations) {
    if (iteration != next) return false;
    next += occasion.every;
  }
  return next >= rounds && next - occasion.every < rounds;
}

class OccasionFinder {
 public:
  OccasionFinder(std::vector<Iterations>& of, const ParametersOf& parameters_of)
      : of_(of), parameters_of_(parameters_of) {
    for (const Iterations& rank : of_) {
      extras_.push_back(extras_of(rank));
      for (const Extra& extra : extras_.back()) keys_.insert(extra.token.key);
    }
    starts_.resize(of_.size());
  }

  std::optional<Occasions> run() {
    for (const std::uint32_t key : keys_)
      if (!find(key)) return std::nullopt;
    for (std::size_t rank = 0; rank < of_.size(); ++rank)
      if (!make_body(rank)) return std::nullopt;
    return std::move(occasions_);
  }

 private:
  /// Finds the key's recurrence from the first rank of each run that has the key at least twice; all ranks
  /// must agree with it.
  bool find(std::uint32_t key) {
    for (const bool starts : {false, true})
      for (const Recurrence& each : recurrences_of(occasions_seen(key, starts), parameters_of_)) {
        if (!agree(key, each)) continue;
        occasions_[key] = each;
        return true;
      }
    return false;
  }

  /// By run; none if a rank does not start with it in its first period.
  std::map<std::size_t, Occasion> occasions_seen(std::uint32_t key, bool starts) const {
    std::map<std::size_t, Occasion> seen;
    for (std::size_t rank = 0; rank < of_.size(); ++rank) {
      if (seen.contains(of_[rank].run)) continue;
      const auto iterations = iterations_with(extras_[rank], key, starts);
      if (iterations.size() < 2) continue;
      const std::int64_t first = *iterations.begin(), every = *std::next(iterations.begin()) - first;
      if (first < 0 || first >= every) return {};
      seen[of_[rank].run] = {every, first};
    }
    return seen;
  }

  Occasion occasion_of(std::uint32_t key, std::size_t rank) const {
    return occasions_.at(key).in(parameters_of_(of_[rank].run));
  }

  bool agree(std::uint32_t key, const Recurrence& recurrence) {
    for (std::size_t rank = 0; rank < of_.size(); ++rank) {
      const Occasion occasion = recurrence.in(parameters_of_(of_[rank].run));
      bool fits = false;
      for (const bool starts : {false, true}) {
        const auto iterations = iterations_with(extras_[rank], key, starts);
        if (!iterations.empty() && !are_all(iterations, occasion, of_[rank].rounds)) continue;
        fits = true;
        starts_[rank][key] = starts;
        break;
      }
      if (!fits) return false;
    }
    return true;
  }

  /// Makes the body. Operations of an occasion are those of its first iteration; rarer ones come after more
  /// frequent ones.
  bool make_body(std::size_t rank) {
    Iterations& of = of_[rank];
    const auto base = always_done(of);
    const std::size_t length = base.size() / static_cast<std::size_t>(of.rounds);
    std::map<std::pair<std::size_t, Occasion>, std::vector<Token>> at_slot;
    for (const Extra& extra : extras_[rank]) {
      const Occasion occasion = occasion_of(extra.token.key, rank);
      const bool ends = extra.slot == 0 && !starts_[rank].at(extra.token.key);
      if (extra.iteration - ends == occasion.offset)
        at_slot[{ends ? length : extra.slot, occasion}].push_back(extra.token);
    }
    of.body.clear();
    for (std::size_t slot = 0; slot <= length; ++slot) {
      for (auto at = at_slot.lower_bound({slot, {0, 0}}); at != at_slot.end() && at->first.first == slot;
           ++at)
        of.body.insert(of.body.end(), at->second.begin(), at->second.end());
      if (slot < length) of.body.push_back(base[slot]);
    }
    return gives_back(of);
  }

  bool gives_back(const Iterations& of) const {
    const std::vector<double>& parameters = parameters_of_(of.run);
    std::vector<Occasion> occasions;
    for (const Token& token : of.body) {
      const auto found = occasions_.find(token.key);
      occasions.push_back(found == occasions_.end() ? Occasion{} : found->second.in(parameters));
    }
    std::size_t next = 0;
    for (std::int64_t i = 0; i < of.rounds; ++i)
      for (std::size_t k = 0; k < of.body.size(); ++k) {
        const Token& token = of.body[k];
        if (!occasions[k].is_at(i)) continue;
        if (next == of.all.size() || !same(of.all[next++], token)) return false;
      }
    return next == of.all.size();
  }

  std::vector<Iterations>& of_;
  const ParametersOf& parameters_of_;
  std::vector<std::vector<Extra>> extras_;  // by rank
  std::set<std::uint32_t> keys_;
  std::vector<std::map<std::uint32_t, bool>>
      starts_;  // by rank and key: whether it starts iterations, if it lies between two
  Occasions occasions_;
};

}  // namespace

Occasion Recurrence::in(const std::vector<double>& parameters) const {
  if (parameter < 0) return {every, offset};
  const std::int64_t period =
      std::max<std::int64_t>(1, std::llround(parameters[static_cast<std::size_t>(parameter)]));
  return {period, offset < 0 ? period + offset : offset};
}

std::optional<Occasions> find_occasions(std::vector<Iterations>& of, const ParametersOf& parameters_of) {
  if (!count_rounds(of)) return std::nullopt;
  if (auto found = OccasionFinder(of, parameters_of).run()) return found;
  if (!cut_endings(of, parameters_of)) return std::nullopt;
  return OccasionFinder(of, parameters_of).run();
}

}  // namespace parcast::program
