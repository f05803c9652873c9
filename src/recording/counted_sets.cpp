// SPDX-License-Identifier: Apache-2.0
#include "recording/counted_sets.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "recording/counts_packing.h"
#include "recording/counts_view.h"
#include "recording/definitions.h"
#include "recording/stored_bytes.h"

namespace parcast::recording {
namespace {

std::string counted_text(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class CountsReader {
 public:
  CountsReader(std::string_view bytes, const std::string& where, const Definitions& definitions,
               std::vector<Loss>& losses)
      : bytes_(bytes), definitions_(definitions), losses_(losses, where) {}

  Counted read(std::int32_t rank, std::uint64_t started) {
    if (!read_header(rank, started)) return std::move(counted_);
    read_rows();
    const std::uint64_t sets = std::min<std::uint64_t>(live(PARCAST_COUNTS_SETS), PARCAST_MOST_SETS);
    counted_.events_together = live(PARCAST_COUNTS_TOGETHER);
    counted_.threads_together = live(PARCAST_COUNTS_THREADS);
    counted_.left_out = live(PARCAST_COUNTS_LEFT_OUT);
    counted_.kept = sets > PARCAST_OTHERS_SET;
    const std::uint64_t stop = live(PARCAST_COUNTS_STOP);
    if (!counted_.kept)
      losses_.add(std::string("what the program executed is not counted: ") + stop_reason(stop));
    else if (stop != PARCAST_STOP_NONE)
      counted_.together_because = stop_reason(stop);
    if (header_.version == PARCAST_PACKED_COUNTS_VERSION)
      read_packed_sets(sets);
    else
      for (std::uint64_t i = 0; i < sets; ++i) read_set(i, place_of(i));
    finish();
    if (keyless_)
      losses_.add("the keys of " + counted_text(keyless_, "set") +
                  " are damaged; their counts are added to the others");
    if (unknown_)
      losses_.add("the events before " + counted_text(unknown_, "set") +
                  " are not known; their counts are added to the others");
    if (cut_)
      losses_.add("the file ends at byte " + std::to_string(bytes_.size()) + "; " +
                  counted_text(cut_, "module") + " of its last sets missing");
    return std::move(counted_);
  }

 private:
  using Probe = std::array<std::uint64_t, PARCAST_PROBE_WORDS>;
  struct Row {
    std::uint32_t module;
    parcast_counts_row at;
    std::uint64_t counters() const { return at.offset / 8; }  // index in a set, in words
    std::uint64_t probes() const { return counters() + at.counts; }
  };
  using Key = std::tuple<SetKind, std::uint64_t>;  // of an event: its set's number

  bool read_header(std::int32_t rank, std::uint64_t started) {
    if (bytes_.empty())
      return refuse("what the program executed is not counted: the file is empty, there was no room for it");
    if (bytes_.size() < sizeof header_ || load<std::uint64_t>(bytes_, 0) != PARCAST_COUNTS_MAGIC)
      return refuse("it holds no counts; it is left out");
    header_ = load<parcast_counts_header>(bytes_, 0);
    if (header_.version != PARCAST_COUNTS_VERSION && header_.version != PARCAST_PACKED_COUNTS_VERSION)
      return refuse("it has format " + std::to_string(header_.version) + ", this version reads formats " +
                    std::to_string(PARCAST_COUNTS_VERSION) + " and " +
                    std::to_string(PARCAST_PACKED_COUNTS_VERSION) + "; it is left out");
    if (!header_holds(header_)) return refuse("its header is damaged; it is left out");
    if (header_.version == PARCAST_PACKED_COUNTS_VERSION && header_.set_bytes > kMostPackedSetBytes)
      return refuse("its sets are larger than any that are packed; it is left out");
    if (header_.rank != rank || header_.started != started)
      return refuse("it belongs to another run; it is left out");
    return true;
  }

  bool refuse(const std::string& why) {
    losses_.add(why);
    return false;
  }

  std::uint64_t live(parcast_counts_live which) {
    const parcast_twin& twin = header_.live[which];
    const std::uint64_t other = twin.twin ^ PARCAST_TWIN;
    if (other != twin.value) losses_.add("a value of its header is damaged; the smaller reading counts");
    return std::min(twin.value, other);
  }

  void read_rows() {
    const std::uint64_t room = bytes_.size() > PARCAST_ROWS_PLACE
                                   ? (bytes_.size() - PARCAST_ROWS_PLACE) / sizeof(parcast_counts_row)
                                   : 0;
    const std::uint64_t there = std::min(header_.modules, room);
    std::uint64_t lost = header_.modules - there;
    std::map<std::uint64_t, std::uint32_t> known;
    std::uint64_t end = 0;  // of the previous module
    for (std::uint64_t i = 0; i < there; ++i) {
      const auto row = counts_row(bytes_, i);
      if (!row || row->offset < end || !fits(*row)) {
        ++lost;
        continue;
      }
      end = row->offset + 8 * (row->counts + PARCAST_PROBE_WORDS * row->probes);
      const auto [at, is_new] =
          known.try_emplace(row->id, static_cast<std::uint32_t>(counted_.modules.size()));
      if (is_new) counted_.modules.push_back({row->id, row->counts, row->probes});
      const CountedModule& module = counted_.modules[at->second];
      if (module.counters != row->counts || module.probes != row->probes)
        ++lost;
      else
        rows_.push_back({at->second, *row});
    }
    if (lost)
      losses_.add("the descriptions of " + counted_text(lost, "module") +
                  " are damaged or missing, and what these counted with them");
  }

  /// Returns whether a row fits in a set. In format 1, whose sets are memory images, it must also fit in the
  /// file, so that reading never allocates more than the file's size.
  bool fits(const parcast_counts_row& row) const {
    const std::uint64_t room = header_.version == PARCAST_PACKED_COUNTS_VERSION
                                   ? header_.set_bytes
                                   : std::min<std::uint64_t>(header_.set_bytes, bytes_.size());
    if (row.offset > room || row.offset % 8 != 0) return false;
    const std::uint64_t words = (room - row.offset) / 8;
    return row.counts <= words && row.probes <= (words - row.counts) / PARCAST_PROBE_WORDS &&
           row.counts <= UINT32_MAX && row.probes <= UINT32_MAX;
  }

  void read_set(std::uint64_t number, const Key& to) {
    const std::uint64_t first = header_.first, bytes = header_.set_bytes, size = bytes_.size();
    const bool begins = first <= size && (number == 0 || (bytes > 0 && (size - first) / bytes >= number));
    const std::string_view set = begins ? bytes_.substr(first + number * bytes) : std::string_view();
    for (const Row& row : rows_) {
      const std::uint64_t length = 8 * (row.at.counts + PARCAST_PROBE_WORDS * row.at.probes);
      if (row.at.offset > set.size() || length > set.size() - row.at.offset) {
        ++cut_;
        continue;
      }
      const std::string_view words = set.substr(row.at.offset, length);
      if (!is_blank(words)) read_module(words, row, to);
    }
  }

  void read_packed_sets(std::uint64_t sets) {
    std::uint64_t at = header_.first;
    for (std::uint64_t i = 0; i < sets; ++i) {
      const auto words = unpack_set(bytes_, at, header_.set_bytes / 8);
      if (!words) {
        losses_.add("the last " + counted_text(sets - i, "set") + " are damaged or missing");
        return;
      }
      read_packed(*words, place_of(i));
    }
  }

  void read_packed(const SetWords& words, const Key& to) {
    auto row = rows_.begin();
    for (auto word = words.begin(); word != words.end();) {
      while (row != rows_.end() && row->probes() + PARCAST_PROBE_WORDS * row->at.probes <= word->first) ++row;
      if (row == rows_.end()) return;
      if (word->first < row->counters()) {  // of a damaged row
        ++word;
      } else if (word->first < row->probes()) {
        add_counter(to, *row, word->first - row->counters(), word->second);
        ++word;
      } else {
        const std::uint64_t number = (word->first - row->probes()) / PARCAST_PROBE_WORDS,
                            first = row->probes() + number * PARCAST_PROBE_WORDS;
        Probe probe{PARCAST_PROBE_NOTHING};
        for (; word != words.end() && word->first < first + PARCAST_PROBE_WORDS; ++word)
          probe[word->first - first] = word->second;
        add_probe(to, *row, number, probe);
      }
    }
  }

  void read_module(std::string_view words, const Row& row, const Key& to) {
    for (std::uint64_t i = 0; i < row.at.counts; ++i)
      add_counter(to, row, i, load<std::uint64_t>(words, 8 * i));
    for (std::uint64_t i = 0; i < row.at.probes; ++i)
      add_probe(to, row, i, load<Probe>(words, 8 * (row.at.counts + PARCAST_PROBE_WORDS * i)));
  }

  void add_counter(const Key& to, const Row& row, std::uint64_t number, std::uint64_t count) {
    if (count) sums_[to][row.module].counters[static_cast<std::uint32_t>(number)] += count;
  }

  void add_probe(const Key& to, const Row& row, std::uint64_t number, const Probe& words) {
    if (words[PARCAST_PROBE_SEEN] == 0 || words[PARCAST_PROBE_VALUE] == PARCAST_PROBE_NOTHING) return;
    const ProbeValues values{static_cast<std::int64_t>(words[PARCAST_PROBE_VALUE]),
                             static_cast<std::int64_t>(words[PARCAST_PROBE_LEAST]),
                             static_cast<std::int64_t>(words[PARCAST_PROBE_MOST]), words[PARCAST_PROBE_SEEN]};
    const auto [known, is_new] =
        sums_[to][row.module].probes.try_emplace(static_cast<std::uint32_t>(number), values);
    if (!is_new) known->second = known->second + values;
  }

  void finish() {
    for (const auto& [to, modules] : sums_) {
      CountedSet set{std::get<SetKind>(to)};
      if (set.kind == SetKind::event) set = behind_[std::get<1>(to)];
      for (const auto& [module, sums] : modules)
        set.modules.push_back(
            {module, {sums.counters.begin(), sums.counters.end()}, {sums.probes.begin(), sums.probes.end()}});
      counted_.sets.push_back(std::move(set));
    }
  }

  /// Returns the resulting set that a set of the file is added to: `others` when this is unknown.
  Key place_of(std::uint64_t number) {
    const std::uint64_t place = PARCAST_KEYS_PLACE + number * sizeof(parcast_set_key);
    const auto key = sealed(bytes_, place, 1, &parcast_set_key::check);
    if (!key || key->kind < PARCAST_SET_START || key->kind > PARCAST_SET_THREAD) {
      ++keyless_;
      return {SetKind::others, 0};
    }
    if (key->kind == PARCAST_SET_START) return {SetKind::start, 0};
    if (key->kind == PARCAST_SET_THREAD) return {SetKind::threads, 0};
    if (key->kind == PARCAST_SET_OTHERS) return {SetKind::others, 0};
    const auto call = definitions_.call(key->call);
    const auto region = definitions_.region(key->region), site = definitions_.site(key->site);
    if (!call || !region || !site) {
      ++unknown_;
      return {SetKind::others, 0};
    }
    behind_[number] = {SetKind::event, *call, *region, *site, {}};
    return {SetKind::event, number};
  }

  struct Sums {
    std::map<std::uint32_t, std::uint64_t> counters;
    std::map<std::uint32_t, ProbeValues> probes;
  };

  std::string_view bytes_;
  const Definitions& definitions_;
  LossList losses_;
  parcast_counts_header header_{};
  Counted counted_;
  std::vector<Row> rows_;
  std::map<std::uint64_t, CountedSet> behind_;         // events, by the number of their set
  std::map<Key, std::map<std::uint32_t, Sums>> sums_;  // by module
  std::uint64_t keyless_ = 0, unknown_ = 0, cut_ = 0;
};

}  // namespace

ProbeValues operator+(const ProbeValues& a, const ProbeValues& b) {
  const std::uint64_t further = b.noticed - (b.first == a.first ? 1 : 0);
  return {a.first, std::min(a.least, b.least), std::max(a.most, b.most),
          std::min<std::uint64_t>(a.noticed + further, PARCAST_PROBE_CHANGES)};
}

std::vector<std::vector<std::uint64_t>> total_counts(const Counted& counted) {
  std::vector<std::vector<std::uint64_t>> totals;
  for (const CountedModule& module : counted.modules) totals.emplace_back(module.counters);
  for (const CountedSet& set : counted.sets)
    for (const ModuleCounts& module : set.modules)
      for (const auto& [counter, count] : module.counters) totals[module.module][counter] += count;
  return totals;
}

Counted read_counted(std::string_view bytes, const std::string& where, std::int32_t rank,
                     std::uint64_t started, const Definitions& definitions, std::vector<Loss>& losses) {
  return CountsReader(bytes, where, definitions, losses).read(rank, started);
}

}  // namespace parcast::recording
