// SPDX-License-Identifier: Apache-2.0
#include "recording/folded.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/checked.h"

namespace parcast::recording {
namespace {

constexpr std::uint64_t kMostValues = std::uint64_t{1} << 48;  // most values of a column
constexpr std::size_t kMostNestedLoops = 8;                    // most loops nested in each other

/// Reads bytes from the front. After the first error all values are 0 and good() is false.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::size_t left() const { return bytes_.size(); }
  void fail() { good_ = false, bytes_ = {}; }

  std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    const auto value = take_number(bytes_);
    if (value && *value <= most) return *value;
    fail();
    return 0;
  }
  std::string text() {
    const std::size_t length = how_many(1);
    std::string out(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
    return out;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  template <class T>
  T plain() {
    T value{};
    if (bytes_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  /// Reads a number of elements that take at least `bytes` bytes each.
  std::size_t how_many(std::size_t bytes) { return static_cast<std::size_t>(number(left() / bytes)); }
  double positive() {
    const auto value = plain<double>();
    if (!(value >= 0) || !std::isfinite(value)) fail();
    return good_ ? value : 0;
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

/// Reads the tokens of a column. Loops become items with the length of their body; their counts are checked.
class ColumnReader {
 public:
  ColumnReader(Bytes& bytes, Column& column) : bytes_(bytes), column_(column) {}

  void read() {
    const std::uint64_t head = bytes_.number();
    column_.count = head >> 1;
    column_.lost = head & 1;
    if (column_.count == 0) return;
    if (column_.count > kMostValues) bytes_.fail();
    if (column_.lost) {
      column_.sum = static_cast<std::int64_t>(bytes_.number());
      return;
    }
    while (bytes_.good() && !finished_) token(bytes_.number());
    if (bytes_.good() && values_.front().count != column_.count) bytes_.fail();
    column_.sum = static_cast<std::int64_t>(values_.front().sum);
  }

 private:
  struct Open {
    std::size_t item = 0;
    std::uint64_t count = 0, sum = 0;  // of one round
  };

  void token(std::uint64_t word) {
    const std::uint64_t value = word >> 2;
    switch (static_cast<parcast_column_token>(word & 3)) {
      case PARCAST_TOKEN_RUN:
        run(value, false);
        break;
      case PARCAST_TOKEN_STRIDE:
        run(value, true);
        break;
      case PARCAST_TOKEN_BEGIN:
        values_.push_back({column_.items.size(), 0, 0});
        column_.items.push_back({});
        if (value != 0 || values_.size() > kMostNestedLoops + 1) bytes_.fail();
        break;
      case PARCAST_TOKEN_END:
        end(value);
        break;
    }
  }

  void run(std::uint64_t count, bool strided) {
    before_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(before_) +
                                        static_cast<std::uint64_t>(bytes_.signed_number()));
    const std::int64_t stride = strided ? bytes_.signed_number() : 0;
    if (count == 0 || count > kMostValues || (strided && stride == 0)) bytes_.fail();
    column_.items.push_back({before_, stride, count, 0});
    const std::uint64_t pairs = count % 2 == 0 ? count / 2 * (count - 1) : count * ((count - 1) / 2);
    values_.back().sum +=
        static_cast<std::uint64_t>(before_) * count + static_cast<std::uint64_t>(stride) * pairs;
    add(count);
  }

  void end(std::uint64_t rounds) {
    if (values_.size() == 1) {
      finished_ = rounds == 0;
      if (!finished_) bytes_.fail();
      return;
    }
    const Open loop = values_.back();
    values_.pop_back();
    Column::Item& item = column_.items[loop.item];
    item.count = rounds;
    item.body = static_cast<std::uint32_t>(column_.items.size() - loop.item - 1);
    if (rounds == 0 || item.body == 0 || loop.count > kMostValues / rounds) return bytes_.fail();
    values_.back().sum += loop.sum * rounds;
    add(loop.count * rounds);
  }

  void add(std::uint64_t count) {
    values_.back().count += count;
    if (values_.back().count > kMostValues) bytes_.fail();
  }

  Bytes& bytes_;
  Column& column_;
  std::vector<Open> values_{1};
  std::int64_t before_ = 0;
  bool finished_ = false;
};

FoldedSample sample_of(double ticks, bool disturbed) {
  return {static_cast<std::int64_t>(std::llround(std::min(ticks, 4e18))), disturbed};
}

FoldedKey read_key(Bytes& bytes, bool timed) {
  FoldedKey key;
  key.call = static_cast<std::uint32_t>(bytes.number(UINT16_MAX));
  key.site = static_cast<std::uint32_t>(bytes.number(UINT32_MAX));
  key.region = static_cast<std::uint32_t>(bytes.number(UINT32_MAX));
  key.executions = bytes.number(kMostValues);
  key.continued = bytes.number(key.executions);
  key.to_none = bytes.number(key.executions);
  key.inside = static_cast<double>(bytes.number());
  key.least = static_cast<double>(bytes.number());
  key.most = static_cast<double>(bytes.number());
  key.times_stolen = bytes.number(kMostValues);
  key.stolen = static_cast<std::int64_t>(bytes.number(std::uint64_t{1} << 62));
  key.squares = bytes.positive();
  for (Column& column : key.columns) ColumnReader(bytes, column).read();
  if (timed) key.gaps = bytes.text(), key.spans = bytes.text();
  return key;
}

std::vector<FoldedSample> read_ends(Bytes& bytes, std::uint64_t count) {
  std::vector<FoldedSample> ends;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, PARCAST_ENDS); ++i) {
    const auto value = bytes.plain<float>();
    if (!std::isfinite(value)) bytes.fail();
    ends.push_back(bytes.good() ? sample_of(std::abs(static_cast<double>(value)), std::signbit(value))
                                : FoldedSample{});
  }
  return ends;
}

FoldedTransition read_transition(Bytes& bytes, std::size_t keys) {
  FoldedTransition t;
  t.from = static_cast<std::int32_t>(bytes.number(std::min<std::uint64_t>(keys, INT32_MAX))) - 1;
  t.to = static_cast<std::uint32_t>(bytes.number(keys ? keys - 1 : 0));
  t.count = bytes.number(kMostValues);
  t.disturbed = bytes.number(t.count);
  t.time = static_cast<double>(bytes.number());
  t.disturbed_time = static_cast<double>(bytes.number());
  t.least = static_cast<double>(bytes.number());
  t.most = static_cast<double>(bytes.number());
  t.squares = bytes.positive();
  t.neighbours = bytes.positive();
  t.first = read_ends(bytes, t.count);
  t.last = read_ends(bytes, t.count);
  t.thinned = static_cast<std::uint32_t>(bytes.number(48));
  const std::size_t samples = bytes.how_many(sizeof(std::uint16_t));
  if (samples > t.count) bytes.fail();
  for (std::size_t i = 0; i < samples && bytes.good(); ++i) {
    const auto sample = bytes.plain<std::uint16_t>();
    t.samples.push_back(sample_of(parcast_sample_ticks(sample), sample & 0x8000u));
  }
  if (keys == 0 || t.count == 0) bytes.fail();
  return t;
}

/// Returns whether the columns have a value for each event that needs one, and whether the values are
/// possible.
bool agrees(const Chapter& chapter) {
  std::uint64_t events = 0;
  for (const FoldedKey& key : chapter.keys) {
    events += key.executions;
    const std::uint64_t said = key[PARCAST_COLUMN_FLAGS].count;
    if (said != key.executions + key[PARCAST_COLUMN_REPEATS].count) return false;
    if (key[PARCAST_COLUMN_COMMUNICATOR].count != key.executions) return false;
    if (key[PARCAST_COLUMN_COMPLETIONS].count != key.executions || key[PARCAST_COLUMN_NEXT].count > said)
      return false;
    constexpr std::int64_t kMostCompletions = 1 << 22;
    const std::uint64_t completed = static_cast<std::uint64_t>(key[PARCAST_COLUMN_COMPLETIONS].sum);
    for (const auto which :
         {PARCAST_COLUMN_COMPLETED, PARCAST_COLUMN_SOURCE, PARCAST_COLUMN_TAG, PARCAST_COLUMN_BYTES})
      if (key[which].count != completed) return false;
    for (const auto first : {PARCAST_COLUMN_SENT_PEER, PARCAST_COLUMN_RECEIVED_PEER})
      for (int i = 1; i < 3; ++i)
        if (key[static_cast<parcast_column>(first + i)].count != key[first].count) return false;
    const auto size = static_cast<std::int64_t>(chapter.keys.size());
    if (!key[PARCAST_COLUMN_NEXT].within(0, size - 1) ||
        !key[PARCAST_COLUMN_FLAGS].within(0, 2 * PARCAST_MORE_POLLS - 1) ||
        !key[PARCAST_COLUMN_COMPLETIONS].within(0, kMostCompletions) ||
        !key[PARCAST_COLUMN_REPEATS].within(0, UINT32_MAX))
      return false;
  }
  return events == chapter.events;
}

}  // namespace

std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return std::nullopt;
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<Chapter> read_chapter(std::string_view description) {
  Bytes bytes(description);
  Chapter chapter;
  if (bytes.number() != PARCAST_DESCRIPTION_VERSION) return std::nullopt;
  const std::uint64_t flags = bytes.number(7);
  chapter.carried = flags & 1;
  chapter.timed = flags & 4;
  chapter.events = bytes.number(kMostValues);
  chapter.dropped = bytes.number();
  chapter.uncertain = bytes.number(kMostValues);
  const std::uint64_t begin = bytes.number(), length = bytes.number();
  chapter.begin = static_cast<std::int64_t>(begin);
  chapter.end = static_cast<std::int64_t>(begin + length);
  chapter.request_before = bytes.number(UINT32_MAX);
  const std::uint64_t first = bytes.number(UINT32_MAX);
  constexpr std::size_t kLeastKey = 19 + PARCAST_COLUMNS, kLeastTransition = 24;
  for (std::size_t left = bytes.how_many(kLeastKey); left > 0 && bytes.good(); --left)
    chapter.keys.push_back(read_key(bytes, chapter.timed));
  for (std::size_t left = bytes.how_many(kLeastTransition); left > 0 && bytes.good(); --left)
    chapter.transitions.push_back(read_transition(bytes, chapter.keys.size()));
  for (std::size_t left = bytes.how_many(sizeof(parcast_completion)); left > 0 && bytes.good(); --left)
    chapter.pending.push_back(bytes.plain<parcast_completion>());
  if (first > 0) chapter.first = static_cast<std::uint32_t>(first - 1);
  if (!bytes.good() || bytes.left() != 0 || first > chapter.keys.size() ||
      (chapter.carried && chapter.keys.empty()))
    return std::nullopt;
  if ((chapter.events > 0 && !chapter.first) || !agrees(chapter)) return std::nullopt;
  chapter.ordered = chapter.dropped == 0;
  for (const FoldedKey& key : chapter.keys)
    for (const Column& column : key.columns) chapter.ordered = chapter.ordered && !column.lost;
  return chapter;
}

bool Column::within(std::int64_t least, std::int64_t most) const {
  bool good = true;
  for_each_run([&](std::int64_t first, std::int64_t stride, std::uint64_t values, std::uint64_t) {
    const auto way = checked_multiply(stride, static_cast<std::int64_t>(values) - 1);
    const auto last = way ? checked_add(first, *way) : std::nullopt;
    good = good && last && std::min(first, *last) >= least && std::max(first, *last) <= most;
  });
  return good;
}

ColumnCursor::ColumnCursor(const Column& column) : column_(&column) {
  levels_.push_back({0, column.items.size(), 0});
  enter();
}

/// Enters loops down to the next run, and leaves bodies that have ended.
void ColumnCursor::enter() {
  const auto& items = column_->items;
  for (;;) {
    Level& level = levels_.back();
    if (at_ == level.end) {
      if (level.left > 0) {
        --level.left;
        at_ = level.begin;
      } else if (levels_.size() > 1) {
        levels_.pop_back();
      } else {
        return;
      }
    } else if (items[at_].body > 0) {
      levels_.push_back({at_ + 1, at_ + 1 + items[at_].body, items[at_].count - 1});
      ++at_;
    } else {
      return;
    }
  }
}

std::optional<std::int64_t> ColumnCursor::peek() const {
  if (at_ >= column_->items.size()) return std::nullopt;
  const Column::Item& run = column_->items[at_];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(run.first) +
                                   static_cast<std::uint64_t>(run.stride) * offset_);
}

std::optional<std::int64_t> ColumnCursor::next() {
  const auto value = peek();
  if (value && ++offset_ == column_->items[at_].count) {
    offset_ = 0;
    ++at_;
    enter();
  }
  return value;
}

}  // namespace parcast::recording
