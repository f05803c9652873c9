// SPDX-License-Identifier: Apache-2.0
#include "observations/folded_totals.h"

#include <algorithm>
#include <functional>

#include "recording/call_kinds.h"

namespace parcast::program {
namespace {

using recording::CallClass;
using recording::Column;
using recording::ColumnCursor;
using recording::FoldedKey;

// Values: a damaged file may describe more than can be read in acceptable time.
constexpr std::uint64_t kMostOneByOne = std::uint64_t{1} << 32;

/// Calls `visit` with each value of a column and its number of occurrences.
void for_each_value(const Column& column, const std::function<void(std::int64_t, std::int64_t)>& visit) {
  column.for_each_run([&](std::int64_t first, std::int64_t stride, std::uint64_t count, std::uint64_t times) {
    if (stride == 0) return visit(first, static_cast<std::int64_t>(count * times));
    for (std::uint64_t i = 0; i < count; ++i)
      visit(first + stride * static_cast<std::int64_t>(i), static_cast<std::int64_t>(times));
  });
}

/// Returns the sum of the bytes sent to, or received from, processes of the run. Returns the sum of all bytes
/// if no other partner occurs.
std::int64_t bytes_within(const Column& peers, const Column& bytes, std::int32_t processes) {
  const bool all = peers.lost || bytes.lost || peers.within(recording::kNoPeer, processes - 1);
  if (all || peers.count > kMostOneByOne) return bytes.sum;
  ColumnCursor peer(peers), amount(bytes);
  std::int64_t sum = 0;
  for (auto who = peer.next(); who; who = peer.next()) {
    const std::int64_t moved = amount.next().value_or(0);
    if (*who >= 0) sum += moved;
  }
  return sum;
}

class Adding {
 public:
  Adding(const FoldedKey& key, const recording::Recording& recording, const recording::RankRecording& rank,
         CallTotals& totals)
      : key_(key),
        processes_(recording.processes),
        rank_(rank),
        call_(recording.calls[key.call]),
        totals_(totals) {}

  void add() {
    totals_.seconds += key_.inside * 1e-9;
    if (is_collective(call_.kind))
      add_collective();
    else
      add_messages();
    add_members();
    totals_.executions +=
        static_cast<std::int64_t>(key_.executions - key_.continued) + key_[PARCAST_COLUMN_REPEATS].sum;
  }

 private:
  void add_members() {
    if (key_.executions == 0) return;
    const bool neighbourhood = call_.pattern == recording::Pattern::neighbourhood;
    const Column& lists = key_[neighbourhood ? PARCAST_COLUMN_SENT_TAG : PARCAST_COLUMN_COMMUNICATOR];
    bool first = totals_.executions == 0;
    const auto take = [&](std::int64_t members) {
      totals_.least_members = first ? members : std::min(totals_.least_members, members);
      totals_.most_members = std::max(totals_.most_members, members);
      first = false;
    };
    if (lists.lost || lists.count == 0) {
      totals_.in_world = totals_.in_world && !lists.lost && !neighbourhood;
      return take(processes_);
    }
    for_each_value(lists, [&](std::int64_t number, std::int64_t) {
      totals_.in_world = totals_.in_world && !neighbourhood && number == 0 && size_of(0) == processes_;
      take(neighbourhood ? neighbours(static_cast<std::size_t>(number))
                         : size_of(static_cast<std::size_t>(number)));
    });
  }

  std::int64_t neighbours(std::size_t list) const {
    std::int64_t members = 0;
    if (list < rank_.shares.size())
      for (const recording::Share& share : rank_.shares[list]) members += share.count;
    return members;
  }
  std::int64_t size_of(std::size_t communicator) const {
    if (communicator >= rank_.communicators.size() || rank_.communicators[communicator].world_ranks.empty())
      return processes_;
    return static_cast<std::int64_t>(rank_.communicators[communicator].world_ranks.size());
  }

  void add_collective() {
    totals_.collective_bytes += static_cast<std::int64_t>(recording::collective_volume(key_, call_.pattern));
    const Column& roots = key_[PARCAST_COLUMN_SENT_PEER];
    if (roots.lost) {
      totals_.roots_advance = false;
      return;
    }
    if (roots.count == 0 || !roots.within(0, processes_ - 1)) {
      if (roots.count > 0 && !roots.within(INT32_MIN, -1)) totals_.roots_advance = false;
    } else {
      if (totals_.executions == 0)
        totals_.first_root =
            static_cast<std::int32_t>(roots.items.front().body ? first_of(roots) : roots.items.front().first);
      std::int64_t number = totals_.executions + totals_.first_root;
      totals_.roots_advance =
          totals_.roots_advance && totals_.first_root >= 0 && advance(roots, 0, roots.items.size(), number);
    }
    for_each_value(roots, [&](std::int64_t root, std::int64_t times) {
      if (root >= 0) totals_.peers[static_cast<std::int32_t>(root)] += times;
    });
  }

  static std::int64_t first_of(const Column& column) { return ColumnCursor(column).peek().value_or(0); }

  /// Returns whether the k-th of these roots is (number + k) modulo p. Reads a body once, or up to p times.
  bool advance(const Column& roots, std::size_t from, std::size_t to, std::int64_t& number) const {
    for (std::size_t i = from; i < to; i += 1 + roots.items[i].body) {
      const Column::Item& item = roots.items[i];
      if (item.body == 0) {
        if (item.stride == 0 && item.count > 1 && processes_ > 1) return false;
        for (std::uint64_t k = 0;
             k < std::min<std::uint64_t>(item.count, static_cast<std::uint64_t>(processes_)); ++k)
          if (item.first + item.stride * static_cast<std::int64_t>(k) !=
              (number + static_cast<std::int64_t>(k)) % processes_)
            return false;
        number += static_cast<std::int64_t>(item.count);
        continue;
      }
      const std::int64_t before = number;
      std::uint64_t round = 0;
      do {
        if (!advance(roots, i + 1, i + 1 + item.body, number)) return false;
      } while (++round < item.count && (number - before) % processes_ != 0);
      // After a multiple of p values the sequence repeats.
      number = before +
               (number - before) / static_cast<std::int64_t>(round) * static_cast<std::int64_t>(item.count);
    }
    return true;
  }

  void add_peers(const Column& peers) {
    if (peers.lost) totals_.peers[recording::kOutside] += static_cast<std::int64_t>(peers.count);
    for_each_value(peers, [&](std::int64_t peer, std::int64_t times) {
      totals_.peers[static_cast<std::int32_t>(peer)] += times;
    });
  }

  /// Counts each partner once for calls that both send and receive.
  void add_partners() {
    const Column &put = key_[PARCAST_COLUMN_SENT_PEER], &got = key_[PARCAST_COLUMN_RECEIVED_PEER];
    if (put.lost || got.lost) return;
    if (put.count == 0 || got.count == 0 || put.count != got.count || put.count > kMostOneByOne) {
      for (const Column* column : {&put, &got})
        for_each_value(*column, [&](std::int64_t peer, std::int64_t times) {
          if (peer >= 0) totals_.peers[static_cast<std::int32_t>(peer)] += times;
        });
      return;
    }
    ColumnCursor first(put), second(got);
    for (auto peer = first.next(); peer; peer = first.next()) {
      const std::int64_t partner = std::max(*peer, second.next().value_or(recording::kNoPeer));
      if (partner >= 0) ++totals_.peers[static_cast<std::int32_t>(partner)];
    }
  }

  void add_messages() {
    const Column &sent = key_[PARCAST_COLUMN_SENT_PEER], &received = key_[PARCAST_COLUMN_RECEIVED_PEER];
    if (call_.kind == CallClass::one_sided || call_.kind == CallClass::input_output) {
      totals_.bytes += key_[PARCAST_COLUMN_SENT_BYTES].sum;
      totals_.received_bytes += key_[PARCAST_COLUMN_RECEIVED_BYTES].sum;
      return add_partners();
    }
    if (sends(call_.kind)) {
      add_peers(sent);
      totals_.messages += static_cast<std::int64_t>(sent.count - key_.to_none);
      for_each_value(sent, [&](std::int64_t peer, std::int64_t times) {
        if (peer < recording::kNoPeer) totals_.messages -= times;
      });
      totals_.bytes += bytes_within(sent, key_[PARCAST_COLUMN_SENT_BYTES], processes_);
    }
    if (receives(call_.kind)) totals_.received_bytes += key_[PARCAST_COLUMN_RECEIVED_BYTES].sum;
    if (call_.kind == CallClass::receive || call_.kind == CallClass::start_receive) add_peers(received);
    totals_.received_bytes +=
        bytes_within(key_[PARCAST_COLUMN_SOURCE], key_[PARCAST_COLUMN_BYTES], processes_);
  }

  const FoldedKey& key_;
  std::int32_t processes_;
  const recording::RankRecording& rank_;
  const recording::Call& call_;
  CallTotals& totals_;
};

}  // namespace

void add_folded(const FoldedKey& key, const recording::Recording& recording,
                const recording::RankRecording& rank, CallTotals& totals) {
  Adding(key, recording, rank, totals).add();
}

}  // namespace parcast::program
