// SPDX-License-Identifier: Apache-2.0
#include "structure/occasions.h"

#include <algorithm>
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

/// What ends some iterations of all runs.
struct CommonEnding {
  Ending keys;
  Occasion occasion;
};

/// Finds what ends some iterations, from a rank that has it at least twice before its last iteration.
std::optional<CommonEnding> common_ending(const std::vector<Iterations>& of) {
  for (const Iterations& rank : of) {
    std::map<std::int64_t, Ending> endings = endings_of(rank);
    endings.erase(rank.rounds - 1);
    if (endings.size() < 2) continue;
    const std::int64_t first = endings.begin()->first, every = std::next(endings.begin())->first - first;
    if (first >= every) continue;
    return CommonEnding{endings.begin()->second, {every, first}};
  }
  return std::nullopt;
}

bool starts_with(const Ending& ending, const Ending& start) {
  return ending.size() >= start.size() && std::equal(start.begin(), start.end(), ending.begin());
}

/// Moves operations after the last iteration that are no part of it to the surplus. Returns whether there are
/// any.
bool cut_endings(std::vector<Iterations>& of) {
  const std::optional<CommonEnding> common = common_ending(of);
  if (!common) return false;
  bool any = false;
  for (Iterations& rank : of) {
    const std::map<std::int64_t, Ending> endings = endings_of(rank);
    const auto last = endings.find(rank.rounds - 1);
    if (last == endings.end()) continue;
    std::size_t own = 0;
    if (common->occasion.is_at(rank.rounds - 1)) {
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
  explicit OccasionFinder(std::vector<Iterations>& of) : of_(of) {
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
  /// Finds the key's occasion from a rank that has the key at least twice; all other ranks must agree with
  /// it.
  bool find(std::uint32_t key) {
    for (const bool starts : {false, true})
      for (const auto& extras : extras_) {
        const auto iterations = iterations_with(extras, key, starts);
        if (iterations.size() < 2) continue;
        const std::int64_t first = *iterations.begin(), every = *std::next(iterations.begin()) - first;
        if (first < 0 || first >= every) break;
        if (!agree(key, {every, first})) break;
        occasions_[key] = {every, first};
        return true;
      }
    return false;
  }

  bool agree(std::uint32_t key, const Occasion& occasion) {
    for (std::size_t rank = 0; rank < of_.size(); ++rank) {
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
      const Occasion& occasion = occasions_.at(extra.token.key);
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
    std::size_t next = 0;
    for (std::int64_t i = 0; i < of.rounds; ++i)
      for (const Token& token : of.body) {
        const auto occasion = occasions_.find(token.key);
        if (occasion != occasions_.end() && !occasion->second.is_at(i)) continue;
        if (next == of.all.size() || !same(of.all[next++], token)) return false;
      }
    return next == of.all.size();
  }

  std::vector<Iterations>& of_;
  std::vector<std::vector<Extra>> extras_;  // by rank
  std::set<std::uint32_t> keys_;
  std::vector<std::map<std::uint32_t, bool>>
      starts_;  // by rank and key: whether it starts iterations, if it lies between two
  Occasions occasions_;
};

}  // namespace

std::optional<Occasions> find_occasions(std::vector<Iterations>& of) {
  if (!count_rounds(of)) return std::nullopt;
  if (auto found = OccasionFinder(of).run()) return found;
  if (!cut_endings(of)) return std::nullopt;
  return OccasionFinder(of).run();
}

}  // namespace parcast::program
