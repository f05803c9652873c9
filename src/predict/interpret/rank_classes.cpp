// SPDX-License-Identifier: Apache-2.0
#include "predict/interpret/rank_classes.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace parcast::interpret {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;

constexpr std::int32_t kFewest = 16;        // smallest number of ranks for which classes are searched
constexpr std::int32_t kRanksPerClass = 4;  // fewer save no time

/// Assigns equal numbers to equal values.
template <class Key>
class Numbers {
 public:
  std::int32_t of(const Key& key) {
    return known_.emplace(key, static_cast<std::int32_t>(known_.size())).first->second;
  }
  std::int32_t count() const { return static_cast<std::int32_t>(known_.size()); }

 private:
  std::map<Key, std::int32_t> known_;
};

/// The partners of the ranks that execute a sequence, with the items in which they exchange.
struct Partners {
  // sends and accesses; receives
  std::map<std::int32_t, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> by_peer;
};

class Search {
 public:
  Search(const trace::Trace& trace, const Costs& costs) : trace_(trace), costs_(costs) {}

  std::optional<RankClasses> run() {
    if (trace_.ranks < kFewest || !suits()) return std::nullopt;
    look_at_sequences();
    begin();
    while (count_ * kRanksPerClass <= trace_.ranks) {
      const std::int32_t before = count_;
      if (!refine()) return std::nullopt;
      if (count_ == before) return finish();
    }
    return std::nullopt;
  }

 private:
  bool suits() const {
    std::vector<bool> whole;  // of each communicator: all ranks in order
    for (const trace::Communicator& each : trace_.communicators) {
      bool in_order = each.members.empty() || each.members.size() == static_cast<std::size_t>(trace_.ranks);
      for (std::size_t place = 0; in_order && place < each.members.size(); ++place)
        in_order = each.members[place] == static_cast<std::int32_t>(place);
      whole.push_back(in_order);
    }
    return std::ranges::all_of(trace_.operations, [&](const Operation& each) {
      if (trace::looks_for_envelope(each.kind) && each.peer == trace::kAny) return false;
      return each.kind != Kind::collective ||
             (whole[each.communicator] && each.pattern != recording::Pattern::scan);
    });
  }

  void look_at_sequences() {
    Numbers<std::vector<std::uint64_t>> alike;
    Numbers<std::tuple<int, int, int, bool, std::int32_t, std::uint32_t, std::int32_t, std::uint64_t,
                       std::uint32_t, std::uint32_t>>
        operations;
    for (const trace::Sequence& sequence : trace_.sequences) {
      Partners partners;
      std::vector<std::uint64_t> words;
      for (std::uint32_t at = 0; at < sequence.size(); ++at) {
        const Item item = sequence[at];
        if (item.what() != Item::What::operation) {
          words.push_back(item.word());
          continue;
        }
        const Operation& op = trace_.operations[item.index()];
        words.push_back(Item::operation(static_cast<std::uint32_t>(operations.of(
                                            {static_cast<int>(op.kind), static_cast<int>(op.mode),
                                             static_cast<int>(op.pattern), op.uneven, op.tag, op.communicator,
                                             op.root, op.bytes, op.requests, op.place})),
                                        item.times())
                            .word());
        if (op.kind == Kind::collective || op.kind == Kind::wait) continue;
        auto& [sends, receives] = partners.by_peer[op.peer];
        (trace::looks_for_envelope(op.kind) ? receives : sends).push_back(at);
      }
      alike_.push_back(alike.of(words));
      partners_.push_back(std::move(partners));
    }
  }

  std::uint32_t sequence_of(std::int32_t rank) const {
    return trace_.sequence_of[static_cast<std::size_t>(rank)];
  }

  /// Initial classes: equal items and processor. A root has no class of its own: it is in step while it waits
  /// no longer than the others of its class.
  void begin() {
    Numbers<std::pair<std::int32_t, std::uint64_t>> numbers;
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank)
      class_of_.push_back(numbers.of({alike_[sequence_of(rank)], costs_.processor(rank)}));
    count_ = numbers.count();
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
      first_near_.push_back(near_.size());
      for (const auto& [peer, words] : partners_[sequence_of(rank)].by_peer)
        near_.push_back({rank + peer, relation(rank, rank + peer), relation(rank + peer, rank)});
    }
    first_near_.push_back(near_.size());
  }

  /// Returns the number of the relation of a sender to a receiver: the items in which they exchange, and the
  /// route.
  std::int32_t relation(std::int32_t sender, std::int32_t receiver) {
    const std::uint64_t way = costs_.way(sender, receiver);
    const auto [known, is_new] =
        relation_of_.try_emplace({sequence_of(sender), sequence_of(receiver), receiver - sender, way}, 0);
    if (is_new) known->second = new_relation(sender, receiver, way);
    return known->second;
  }

  std::int32_t new_relation(std::int32_t sender, std::int32_t receiver, std::uint64_t way) {
    const auto& out = partners_[sequence_of(sender)].by_peer;
    const auto& in = partners_[sequence_of(receiver)].by_peer;
    const auto sends = out.find(receiver - sender), receives = in.find(sender - receiver);
    static const std::vector<std::uint32_t> none;
    return relations_.of({sends == out.end() ? none : sends->second.first,
                          receives == in.end() ? none : receives->second.second, way});
  }

  /// Ranks stay together when their partners are together. Returns false when two partners of a rank cannot
  /// be distinguished.
  bool refine() {
    Numbers<std::vector<std::int32_t>> numbers;
    std::vector<std::int32_t> next;
    std::vector<std::array<std::int32_t, 3>> near;
    std::vector<std::int32_t> key;
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
      near.clear();
      for (std::size_t i = first_near_[static_cast<std::size_t>(rank)];
           i < first_near_[static_cast<std::size_t>(rank) + 1]; ++i)
        near.push_back({near_[i].out, near_[i].in, class_of_[static_cast<std::size_t>(near_[i].rank)]});
      std::ranges::sort(near);
      if (std::ranges::adjacent_find(near) != near.end()) return false;
      key.assign(1, class_of_[static_cast<std::size_t>(rank)]);
      for (const auto& each : near) key.insert(key.end(), each.begin(), each.end());
      next.push_back(numbers.of(key));
    }
    class_of_ = std::move(next);
    count_ = numbers.count();
    return true;
  }

  RankClasses finish() {
    RankClasses out;
    out.class_of = class_of_;
    out.representatives.assign(static_cast<std::size_t>(count_), -1);
    out.size.assign(static_cast<std::size_t>(count_), 0);
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
      const auto own = static_cast<std::size_t>(class_of_[static_cast<std::size_t>(rank)]);
      if (out.size[own]++ == 0) out.representatives[own] = rank;
    }
    Numbers<std::array<std::int32_t, 3>> numbers;
    const auto add = [&](std::int32_t sender, std::int32_t receiver) {
      out.channels[{sender, receiver}] = numbers.of({relation(sender, receiver), relation(receiver, sender),
                                                     class_of_[static_cast<std::size_t>(sender)]});
    };
    for (const std::int32_t rank : out.representatives)
      for (const auto& [peer, words] : partners_[sequence_of(rank)].by_peer)
        add(rank, rank + peer), add(rank + peer, rank);
    return out;
  }

  const trace::Trace& trace_;
  const Costs& costs_;
  std::vector<std::int32_t> alike_;  // of each sequence
  std::vector<Partners> partners_;   // of each sequence
  std::vector<std::int32_t> class_of_;
  std::int32_t count_ = 0;
  struct Near {
    std::int32_t rank = 0, out = 0, in = 0;  // a partner, and the relations to and from it
  };
  std::vector<Near> near_;  // of all ranks, consecutively
  std::vector<std::size_t> first_near_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t, std::uint64_t>, std::int32_t> relation_of_;
  Numbers<std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, std::uint64_t>> relations_;
};

}  // namespace

std::optional<RankClasses> rank_classes(const trace::Trace& trace, const Costs& costs) {
  return Search(trace, costs).run();
}

}  // namespace parcast::interpret
