// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every rank of one run does, in order: computing, messages, collectives; what repeats itself stands once, in loops.
// Independent of the machine but for the computing times, which are those of the machine it was recorded on. It is what
// the engine `simulate` walks; recordings, program models and other tools' traces are made into it.
//
// Three tables are shared by all ranks: distinct operations (with partners told relative to the own rank, so that ranks
// which do the same share them), distinct sequences of them, and places in the program.

#include <array>
#include <cstdint>
#include <limits>
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
  send,           // returns when the buffer may be used again
  receive,        // returns when the message is there
  start_send,     // these two begin a request
  start_receive,
  wait,           // until requests are complete
  collective,     // of all members of a communicator
  read,           // of another rank's memory; returns when the data are there
  write,          // to another rank's memory; returns when they are there
  start_read,     // these two begin a request
  start_write,
  probe,          // until an envelope that fits is there and no receive has it; it stays for the receive that follows
  lock_shared,    // of a window's part that a rank owns, or of all parts at once; returns when it is granted
  lock_exclusive,
  unlock,         // gives back what the rank holds there; returns at once
};

/// Remote accesses: their `peer` is the rank that owns the memory.
constexpr bool is_access(Kind kind) { return kind >= Kind::read && kind <= Kind::start_write; }
/// These look for an envelope: their `peer` and `tag` may be kAny.
constexpr bool looks_for_envelope(Kind kind) { return kind == Kind::receive || kind == Kind::start_receive || kind == Kind::probe; }
/// Locks and their return: `peer` is the owner, or kAny for all members of the window, which is number `tag` of those of `communicator`.
constexpr bool locks(Kind kind) { return kind == Kind::lock_shared || kind == Kind::lock_exclusive; }
constexpr bool is_of_lock(Kind kind) { return kind >= Kind::lock_shared && kind <= Kind::unlock; }
constexpr bool begins_request(Kind kind) {
  return kind == Kind::start_send || kind == Kind::start_receive || kind == Kind::start_read || kind == Kind::start_write;
}

enum class Mode : std::uint8_t {
  standard,     // protocol by size
  synchronous,  // never completes before the receive has begun
  buffered,     // always sent at once
};

inline constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::min();  // any source, any tag
/// Any tag is any of the program's: those below 0 are of messages that it does not see (neighbourhood collectives).
constexpr bool tag_fits(std::int32_t wanted, std::int32_t sent) { return wanted == kAny ? sent >= 0 : wanted == sent; }
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();   // a place that is not known

struct Operation {
  Kind kind = Kind::send;
  Mode mode = Mode::standard;                                  // of sends
  recording::Pattern pattern = recording::Pattern::none;       // of collectives
  bool uneven = false;             // of collectives: members contribute different amounts (MPI_Allgatherv)
  std::int32_t peer = 0;           // partner's (an access: the owner's) world rank less the own one; kAny: receive from, or probe for, anybody; lock all
  std::int32_t tag = 0;            // kAny: receive or probe for any; of a lock: the window
  std::uint32_t communicator = 0;  // index into Trace::communicators
  std::int32_t root = 0;           // of collectives: rank in the communicator
  std::uint64_t bytes = 0;         // of the message or access; of a collective what the process contributes (recording::collective_volume)
  std::uint32_t requests = 0;      // of a wait: index into Trace::request_sets
  std::uint32_t place = kNowhere;  // index into Trace::places

  bool operator==(const Operation&) const = default;
};

/// One word of a sequence: computing for some time, an operation some times over, or a loop whose body is the next words.
class Item {
 public:
  enum class What : std::uint8_t { compute = 0, operation = 1, loop = 2 };
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;  // times, rounds, words of a body, operations

  Item() = default;
  static constexpr Item compute(Time time) { return Item(static_cast<std::uint64_t>(time)); }
  static constexpr Item operation(std::uint32_t index, std::uint32_t times = 1) { return of(What::operation, index, times); }
  static constexpr Item loop(std::uint32_t words, std::uint32_t rounds) { return of(What::loop, words, rounds); }
  static constexpr Item from_word(std::uint64_t word) { return Item(word); }

  constexpr What what() const { return static_cast<What>(word_ >> 62); }
  constexpr Time time() const { return static_cast<Time>(word_); }                             // compute
  constexpr std::uint32_t index() const { return static_cast<std::uint32_t>((word_ >> 31) & kMost); }  // operation
  constexpr std::uint32_t words() const { return index(); }                                    // loop: of its body
  constexpr std::uint32_t times() const { return static_cast<std::uint32_t>(word_ & kMost); }  // operation; loop: rounds
  constexpr std::uint64_t word() const { return word_; }

 private:
  explicit constexpr Item(std::uint64_t word) : word_(word) {}
  static constexpr Item of(What what, std::uint64_t high, std::uint64_t low) {
    return Item(static_cast<std::uint64_t>(what) << 62 | high << 31 | low);
  }
  std::uint64_t word_ = 0;
};

using Sequence = std::vector<Item>;
inline constexpr int kDeepest = 8;  // loops in loops

struct Place {
  std::string region;    // path: "main/solve/halo"
  std::string function, file;
  std::int32_t line = 0;
  std::string call;      // MPI_Send
  bool operator==(const Place&) const = default;
};

struct Communicator {
  std::vector<std::int32_t> members;  // world ranks in order of the communicator's ranks; [0] of a trace is all ranks, and empty
};

struct Trace {
  std::string program;
  std::int32_t ranks = 0;
  std::vector<Operation> operations;
  std::vector<Sequence> sequences;
  std::vector<std::uint32_t> sequence_of;                 // of each rank
  std::vector<Communicator> communicators{Communicator{}};
  std::vector<std::vector<std::uint32_t>> request_sets;   // distinct sets: a request by how many were begun since, itself included
                                                          // (1: the last one begun), strictly ascending
  std::vector<Place> places;
  std::vector<std::string> assumptions;                   // what it rests on that was not recorded, a sentence each
};

/// Whether some rank accesses the memory of another, or locks it.
bool has_accesses(const Trace& trace);
bool has_locks(const Trace& trace);

/// What makes a trace one: indices in range, loops that nest and hold something, partners among the ranks, times in range.
/// The first violation, with the rank and the number of the word.
Result<void> check(const Trace& trace);

/// The operations that a sequence names, each once, as they come first in it.
class Distinct {
 public:
  explicit Distinct(const Trace& trace) : seen_(trace.operations.size()) {}
  /// Until the next call. Indices must be in range.
  const std::vector<std::uint32_t>& operations_of(const Sequence& sequence);

 private:
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> operations_;
};

/// Of a rank, loops unrolled: operations (waits among them), and words with computing.
struct Size {
  std::uint64_t operations = 0, computes = 0;
};
Size size_of(const Sequence& sequence);

/// Goes through a sequence word by word, into its loops.
class Walker {
 public:
  Walker() = default;
  explicit Walker(const Sequence& sequence) : words_(sequence.data()), end_(static_cast<std::uint32_t>(sequence.size())) {}

  /// Steps onto the next compute or operation; false at the end.
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
  /// Number of the word after the current one.
  std::uint32_t position() const { return at_; }
  /// How many times the current operation is still to be done, this time included.
  std::uint32_t times_left() const { return left_; }
  /// Rounds that were begun in any loop, but the first of each.
  std::uint64_t rounds() const { return rounds_; }
  /// Loops around the current word, the outermost first, and how many rounds each has left, the current one included.
  std::uint32_t depth() const { return depth_; }
  std::uint32_t rounds_left(std::uint32_t level) const { return loops_[level].left; }
  /// Does that many rounds less of a loop; at least one is left.
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
