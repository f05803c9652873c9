// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every rank of one run does, in order: computing, messages, collectives. Repetitions are stored once,
// as loops. Only the computing times depend on the machine: they come from the machine of the recording. The
// engine `simulate` runs traces; recordings, program models and other tools' traces are converted to them.
//
// All ranks share three tables: distinct operations, distinct sequences of operations, and places in the
// program. Partners are relative to the own rank, so that ranks which do the same share operations.

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"

namespace parcast::trace {

/// Picoseconds. A run lasts at most kLongest (26 days).
using Time = std::int64_t;
inline constexpr Time kLongest = Time{1} << 61;
inline constexpr Time kPerNanosecond = 1000;

enum class Kind : std::uint8_t {
  send,        // returns when the buffer may be reused
  receive,     // returns when the message has arrived
  start_send,  // begins a request
  start_receive,
  wait,        // returns when its requests are complete
  collective,  // over all members of a communicator
  read,        // reads another rank's memory; returns when the data have arrived
  write,       // writes to another rank's memory; returns when the data are there
  start_read,  // begins a request
  start_write,
  // returns when a matching envelope has arrived that no receive has taken; the envelope remains for the
  // receive that follows
  probe,
  // locks the part of a window that a rank owns, or all parts at once; returns when the lock is granted
  lock_shared,
  lock_exclusive,
  unlock,  // releases the rank's lock; returns at once
};

/// Returns whether it is a remote access. Its `peer` is the rank that owns the memory.
constexpr bool is_access(Kind kind) {
  return kind >= Kind::read && kind <= Kind::start_write;
}
/// Returns whether it looks for an envelope. Its `peer` and `tag` may be kAny.
constexpr bool looks_for_envelope(Kind kind) {
  return kind == Kind::receive || kind == Kind::start_receive || kind == Kind::probe;
}
/// Returns whether it is a lock. For locks and unlocks, `peer` is the owner, or kAny for all members of the
/// window; `tag` is the number of the window among those of `communicator`.
constexpr bool locks(Kind kind) {
  return kind == Kind::lock_shared || kind == Kind::lock_exclusive;
}
constexpr bool is_of_lock(Kind kind) {
  return kind >= Kind::lock_shared && kind <= Kind::unlock;
}
constexpr bool begins_request(Kind kind) {
  return kind == Kind::start_send || kind == Kind::start_receive || kind == Kind::start_read ||
         kind == Kind::start_write;
}

enum class Mode : std::uint8_t {
  standard,     // eager or rendezvous, by size
  synchronous,  // completes only after the receive has begun
  buffered,     // is always sent at once
};

inline constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::min();  // any source, any tag
/// Any tag matches any tag of the program. Tags below 0 belong to messages that the program does not see
/// (neighbourhood collectives).
constexpr bool tag_fits(std::int32_t wanted, std::int32_t sent) {
  return wanted == kAny ? sent >= 0 : wanted == sent;
}
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();  // an unknown place

struct Operation {
  Kind kind = Kind::send;
  Mode mode = Mode::standard;                             // of sends
  recording::Pattern pattern = recording::Pattern::none;  // of collectives
  // of collectives: members contribute different amounts (MPI_Allgatherv)
  bool uneven = false;
  // world rank of the partner (of an access: the owner) minus the own rank; kAny: receive or probe from any
  // source, or lock all parts
  std::int32_t peer = 0;
  std::int32_t tag = 0;            // kAny: receive or probe any tag; of a lock: the window
  std::uint32_t communicator = 0;  // index into Trace::communicators
  std::int32_t root = 0;           // of collectives: rank in the communicator
  // of the message or access; of a collective the process's contribution (recording::collective_volume)
  std::uint64_t bytes = 0;
  std::uint32_t requests = 0;      // of a wait: index into Trace::request_sets
  std::uint32_t place = kNowhere;  // index into Trace::places

  bool operator==(const Operation&) const = default;
};

/// One word of a sequence: computing for some time, an operation repeated some times, or a loop whose body is
/// the words that follow.
class Item {
 public:
  enum class What : std::uint8_t { compute = 0, operation = 1, loop = 2 };
  // most repetitions, rounds, words in a body, and operations
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;

  Item() = default;
  static constexpr Item compute(Time time) { return Item(static_cast<std::uint64_t>(time)); }
  static constexpr Item operation(std::uint32_t index, std::uint32_t times = 1) {
    return of(What::operation, index, times);
  }
  static constexpr Item loop(std::uint32_t words, std::uint32_t rounds) {
    return of(What::loop, words, rounds);
  }
  static constexpr Item from_word(std::uint64_t word) { return Item(word); }

  constexpr What what() const { return static_cast<What>(word_ >> 62); }
  constexpr Time time() const { return static_cast<Time>(word_); }  // of computing
  // of an operation
  constexpr std::uint32_t index() const { return static_cast<std::uint32_t>((word_ >> 31) & kMost); }
  constexpr std::uint32_t words() const { return index(); }  // of a loop: words of its body
  // of an operation: repetitions; of a loop: rounds
  constexpr std::uint32_t times() const { return static_cast<std::uint32_t>(word_ & kMost); }
  constexpr std::uint64_t word() const { return word_; }

 private:
  explicit constexpr Item(std::uint64_t word) : word_(word) {}
  static constexpr Item of(What what, std::uint64_t high, std::uint64_t low) {
    return Item(static_cast<std::uint64_t>(what) << 62 | high << 31 | low);
  }
  std::uint64_t word_ = 0;
};

using Sequence = std::vector<Item>;
inline constexpr int kDeepest = 8;  // most loops nested in each other

struct Place {
  std::string region;  // path: "main/solve/halo"
  std::string function, file;
  std::int32_t line = 0;
  std::string call;  // e.g. MPI_Send
  bool operator==(const Place&) const = default;
};

struct Communicator {
  // world ranks in order of the communicator's ranks; element [0] of a trace means all ranks, and its list is
  // empty
  std::vector<std::int32_t> members;
};

struct Trace {
  std::string program;
  std::int32_t ranks = 0;
  std::vector<Operation> operations;
  std::vector<Sequence> sequences;
  std::vector<std::uint32_t> sequence_of;  // one per rank
  std::vector<Communicator> communicators{Communicator{}};
  // distinct sets; a request is given by how many were begun since, including itself (1: the last one begun),
  // strictly ascending
  std::vector<std::vector<std::uint32_t>> request_sets;
  std::vector<Place> places;
  std::vector<std::string> assumptions;  // what the trace assumes beyond the recording, one sentence each
};

/// Return whether some rank accesses the memory of another rank, or locks it.
bool has_accesses(const Trace& trace);
bool has_locks(const Trace& trace);

/// Checks that a trace is valid: indices in range, loops that nest and have a body, partners that exist,
/// times in range. Returns the first violation, with the rank and the number of the word.
Result<void> check(const Trace& trace);

/// Finds the operations that a sequence names, each once, in order of first use.
class Distinct {
 public:
  explicit Distinct(const Trace& trace) : seen_(trace.operations.size()) {}
  /// The result is valid until the next call. Indices must be in range.
  const std::vector<std::uint32_t>& operations_of(const Sequence& sequence);

 private:
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> operations_;
};

/// Counts of one rank with loops unrolled: operations (including waits), and words of computing.
struct Size {
  std::uint64_t operations = 0, computes = 0;
};
Size size_of(const Sequence& sequence);
/// Returns how often a rank executes each operation, by index, with loops unrolled. Takes time in proportion
/// to the words, not to the executions.
std::map<std::uint32_t, std::uint64_t> executions_of(const Sequence& sequence);

/// Iterates over the words of a sequence, including each round of its loops.
class Walker {
 public:
  Walker() = default;
  explicit Walker(const Sequence& sequence)
      : words_(sequence.data()), end_(static_cast<std::uint32_t>(sequence.size())) {}

  /// Advances to the next computing or operation; returns false at the end.
  bool next() {
    if (left_ > 1) return --left_, true;
    for (;;) {
      while (depth_ > 0 && at_ == loops_[depth_ - 1].end) {
        Loop& loop = loops_[depth_ - 1];
        if (--loop.left > 0)
          at_ = loop.begin, ++rounds_;
        else
          --depth_;
      }
      if (at_ == end_) return false;
      item_ = words_[at_++];
      if (item_.what() != Item::What::loop) break;
      loops_[depth_++] = {at_, at_ + item_.words(), item_.times()};
    }
    left_ = item_.what() == Item::What::operation ? item_.times() : 1;
    return true;
  }
  Item item() const { return item_; }
  /// Index of the word after the current one.
  std::uint32_t position() const { return at_; }
  /// How many times the current operation remains to be done, including this time.
  std::uint32_t times_left() const { return left_; }
  /// Number of rounds begun in all loops, excluding the first round of each loop.
  std::uint64_t rounds() const { return rounds_; }
  /// Number of loops around the current word, and the rounds that each has left, including the current round.
  /// Level 0 is the outermost loop.
  std::uint32_t depth() const { return depth_; }
  std::uint32_t rounds_left(std::uint32_t level) const { return loops_[level].left; }
  /// Skips that many rounds of a loop; at least one round must remain.
  void skip_rounds(std::uint32_t level, std::uint32_t rounds) { loops_[level].left -= rounds; }

 private:
  struct Loop {
    std::uint32_t begin = 0, end = 0, left = 0;
  };
  const Item* words_ = nullptr;
  std::uint32_t at_ = 0, end_ = 0, left_ = 0;
  std::uint32_t depth_ = 0;
  std::uint64_t rounds_ = 0;
  Item item_;
  std::array<Loop, kDeepest> loops_{};
};

}  // namespace parcast::trace
