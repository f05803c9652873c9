// SPDX-License-Identifier: Apache-2.0
#pragma once
// Events that were folded while they were recorded (fold.h), as they come out of a file: per key what its executions said,
// field by field, each a list of runs in loops; per transition the computing times. docs/models/folded_events.md.
//
// Totals are read off without unfolding. Unfolding (unfold.h) gives every event back, its times being means.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/fold.h"

namespace parcast::recording {

/// A list of integers. Items stand in order; a loop's body follows its item.
class Column {
 public:
  struct Item {
    std::int64_t first = 0, stride = 0;
    std::uint64_t count = 0;   // values of a run; rounds of a loop
    std::uint32_t body = 0;    // items of a loop's body; 0: a run
  };

  std::uint64_t count = 0;     // values
  bool lost = false;           // their order was given up: no items
  std::int64_t sum = 0;        // of all values, modulo 2^64
  std::vector<Item> items;

  /// Visits (first, stride, values, times): the runs, and how often each of them comes. Nothing when the order is lost.
  template <class Visitor>
  void for_each_run(Visitor&& visit) const {
    visit_runs(0, items.size(), 1, visit);
  }
  /// Values that a visitor of runs meets one by one if it goes through those that are not constant.
  std::uint64_t spread() const {
    std::uint64_t met = 0;
    for_each_run([&](std::int64_t, std::int64_t stride, std::uint64_t values, std::uint64_t) { met += stride ? values : 1; });
    return met;
  }
  /// Whether all values lie between these two; of a lost column nothing is known, and it does.
  bool within(std::int64_t least, std::int64_t most) const;

 private:
  template <class Visitor>
  void visit_runs(std::size_t from, std::size_t to, std::uint64_t times, Visitor& visit) const {
    for (std::size_t i = from; i < to; i += 1 + items[i].body) {
      const Item& item = items[i];
      if (item.body == 0) {
        visit(item.first, item.stride, item.count, times);
      } else {
        visit_runs(i + 1, i + 1 + item.body, times * item.count, visit);
      }
    }
  }
};

/// Goes through a column's values. The column must outlive it.
class ColumnCursor {
 public:
  explicit ColumnCursor(const Column& column);
  /// The next value; nothing behind the last one.
  std::optional<std::int64_t> next();
  /// The same without stepping over it.
  std::optional<std::int64_t> peek() const;

 private:
  struct Level {
    std::size_t begin = 0, end = 0;  // of the body
    std::uint64_t left = 0;          // rounds after this one
  };
  void enter();

  const Column* column_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  std::vector<Level> levels_;
};

struct FoldedKey {
  std::uint32_t call = 0, site = 0, region = 0;  // indices, as in Event
  std::uint64_t executions = 0;                  // events, those that continue one included
  std::uint64_t continued = 0, to_none = 0;      // of these: that continue one; that send to nobody
  double inside = 0, least = 0, most = 0;        // nanoseconds in the call: sum, least, most ...
  double squares = 0;                            // ... and sum of squares
  std::uint64_t times_stolen = 0;
  std::int64_t stolen = 0;                       // nanoseconds off the processor inside
  std::array<Column, PARCAST_COLUMNS> columns;
  std::string gaps, spans;                       // of a timed chapter: coded, unfold.cpp reads them

  const Column& operator[](parcast_column which) const { return columns[static_cast<std::size_t>(which)]; }
};

struct FoldedSample {
  std::int64_t nanoseconds = 0;
  bool disturbed = false;
};

/// From key to key; computing times are in nanoseconds.
struct FoldedTransition {
  std::int32_t from = -1;                 // index of the chapter's keys; -1: what came before the chapter
  std::uint32_t to = 0;
  std::uint64_t count = 0, disturbed = 0;
  double time = 0, disturbed_time = 0, least = 0, most = 0;
  double squares = 0, neighbours = 0;     // sums of x^2, and of x times the one before
  std::vector<FoldedSample> first, last;  // the first and the last PARCAST_ENDS, in order
  std::uint32_t thinned = 0;              // of 2^thinned executions one is among:
  std::vector<FoldedSample> samples;
};

/// A part of one thread's events. The thread's chapters follow each other.
struct Chapter {
  std::uint16_t thread = 0;
  std::uint64_t events = 0, dropped = 0, uncertain = 0;
  bool carried = false;     // keys[0] is that of the event before the chapter
  bool timed = false;       // every event's own times were kept
  double unit = 0;          // nanoseconds of these times' unit
  bool ordered = false;     // no column was given up: the events can be unfolded
  std::int64_t begin = 0, end = 0;  // nanoseconds since MPI_Init returned
  std::uint64_t request_before = 0; // serial number of the last request before the chapter
  std::optional<std::uint32_t> first;  // key of the first event
  std::vector<FoldedKey> keys;
  std::vector<FoldedTransition> transitions;
  std::vector<parcast_completion> pending;  // of the event after the chapter
};

/// Takes the next number of seven bits to a byte from the front; nothing where there is none.
std::optional<std::uint64_t> take_number(std::string_view& bytes);

/// Reads a description. Times are in ticks, numbers of calls, sites and regions as in the file: the reader of the file makes
/// indices and nanoseconds of them. Nothing when the bytes are no description, or contradict themselves.
std::optional<Chapter> read_chapter(std::string_view description);

}  // namespace parcast::recording
