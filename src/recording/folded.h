// SPDX-License-Identifier: Apache-2.0
#pragma once
// Events that were folded during recording (fold.h), as read from a file. Per key they hold the fields of all
// executions, each field as a list of runs in loops; per transition the computing times.
// docs/models/folded_events.md.
//
// Totals can be computed without unfolding. Unfolding (unfold.h) restores every event, with mean times.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/fold.h"

namespace parcast::recording {

/// A list of integers. Items are in order; the body of a loop follows its item.
class Column {
 public:
  struct Item {
    std::int64_t first = 0, stride = 0;
    std::uint64_t count = 0;  // of a run: values; of a loop: rounds
    std::uint32_t body = 0;   // of a loop: items in its body; 0: a run
  };

  std::uint64_t count = 0;  // number of values
  bool lost = false;        // the order was not kept: no items
  std::int64_t sum = 0;     // of all values, modulo 2^64
  std::vector<Item> items;

  /// Calls visit(first, stride, values, times) for each run; `times` is how often the run occurs. Calls
  /// nothing when the order is lost.
  template <class Visitor>
  void for_each_run(Visitor&& visit) const {
    visit_runs(0, items.size(), 1, visit);
  }
  /// Returns the number of values that a visitor of runs handles when it visits all values of runs that are
  /// not constant.
  std::uint64_t spread() const {
    std::uint64_t met = 0;
    for_each_run([&](std::int64_t, std::int64_t stride, std::uint64_t values, std::uint64_t) {
      met += stride ? values : 1;
    });
    return met;
  }
  /// Returns whether all values are in [least, most]; true for a lost column, whose values are unknown.
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

/// Iterates over a column's values. The column must outlive the cursor.
class ColumnCursor {
 public:
  explicit ColumnCursor(const Column& column);
  /// Returns the next value and advances; nothing after the last one.
  std::optional<std::int64_t> next();
  /// Returns the next value without advancing.
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
  std::uint64_t executions = 0;                  // events, including those that continue a call
  // number of these that continue a call, and that have no receiver
  std::uint64_t continued = 0, to_none = 0;
  double inside = 0, least = 0, most = 0;  // nanoseconds in the call: sum, minimum, maximum
  double squares = 0;                      // sum of squares of these nanoseconds
  std::uint64_t times_stolen = 0;
  std::int64_t stolen = 0;  // nanoseconds off the processor inside the call
  std::array<Column, PARCAST_COLUMNS> columns;
  std::string gaps, spans;  // of a timed chapter; encoded, unfold.cpp decodes them

  const Column& operator[](parcast_column which) const { return columns[static_cast<std::size_t>(which)]; }
};

struct FoldedSample {
  std::int64_t nanoseconds = 0;
  bool disturbed = false;
};

/// From one key to another. Computing times are in nanoseconds.
struct FoldedTransition {
  // index into the chapter's keys; -1: the events before the chapter
  std::int32_t from = -1;
  std::uint32_t to = 0;
  std::uint64_t count = 0, disturbed = 0;
  double time = 0, disturbed_time = 0, least = 0, most = 0;
  double squares = 0, neighbours = 0;  // sums of x^2, and of x times the previous x
  // the first and the last PARCAST_ENDS times, in order
  std::vector<FoldedSample> first, last;
  std::uint32_t thinned = 0;  // `samples` has one of 2^thinned executions
  std::vector<FoldedSample> samples;
};

/// A part of one thread's events. The thread's chapters follow each other.
struct Chapter {
  std::uint16_t thread = 0;
  std::uint64_t events = 0, dropped = 0, uncertain = 0;
  bool carried = false;                // keys[0] belongs to the event before the chapter
  bool timed = false;                  // every event's own times are kept
  double unit = 0;                     // nanoseconds per unit of these times
  bool ordered = false;                // all columns have their order: the events can be unfolded
  std::int64_t begin = 0, end = 0;     // nanoseconds since MPI_Init returned
  std::uint64_t request_before = 0;    // serial number of the last request before the chapter
  std::optional<std::uint32_t> first;  // key of the first event
  std::vector<FoldedKey> keys;
  std::vector<FoldedTransition> transitions;
  std::vector<parcast_completion> pending;  // completions of the event after the chapter
};

/// Takes a number of seven bits per byte from the front; nothing when there is none.
std::optional<std::uint64_t> take_number(std::string_view& bytes);

/// Reads a description. Times are in ticks, and calls, sites and regions have the file's numbers; the reader
/// of the file converts them to nanoseconds and indices. Returns nothing when the bytes are no description or
/// contradict themselves.
std::optional<Chapter> read_chapter(std::string_view description);

}  // namespace parcast::recording
