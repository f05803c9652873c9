// SPDX-License-Identifier: Apache-2.0
#include "recording/chapters.h"

#include <cmath>

namespace parcast::recording {
namespace {

constexpr double kMostNanoseconds = 4e18;
// most partners in a column's runs; with more it counts as damaged
constexpr std::uint64_t kMostPartners = 1 << 22;

void give_up(Column& column) {
  column.lost = true;
  column.items.clear();
}

/// Converts the file's numbers in a column to indices. Returns false when a number is undefined.
template <class Lookup>
bool renumber(Column& column, Lookup&& index_of) {
  if (!column.within(0, UINT32_MAX)) return false;
  for (Column::Item& item : column.items) {
    if (item.body > 0) continue;
    const auto last =
        static_cast<std::uint32_t>(item.first + item.stride * static_cast<std::int64_t>(item.count - 1));
    const auto index = index_of(static_cast<std::uint32_t>(item.first));
    const bool same = index == static_cast<std::uint32_t>(item.first) && index_of(last) == last;
    // lists are sorted: if both ends keep their numbers, so do all numbers in between
    if (same) continue;
    if (!index || item.stride != 0) return false;
    item.first = *index;
  }
  return true;
}

class Scaled {
 public:
  explicit Scaled(const TimeScale& scale) : per_tick_(1e9 / scale.frequency()) {}
  void time(double& ticks) const { ticks = std::min(ticks * per_tick_, kMostNanoseconds); }
  void square(double& ticks) const { ticks *= per_tick_ * per_tick_; }
  void samples(std::vector<FoldedSample>& samples) const {
    for (FoldedSample& sample : samples)
      sample.nanoseconds =
          std::llround(std::min(static_cast<double>(sample.nanoseconds) * per_tick_, kMostNanoseconds));
  }

 private:
  double per_tick_;
};

void to_nanoseconds(Chapter& chapter, const TimeScale& scale) {
  const Scaled scaled(scale);
  chapter.unit = PARCAST_TIME_UNIT;
  scaled.time(chapter.unit);
  chapter.begin = scale.at(static_cast<std::uint64_t>(chapter.begin));
  chapter.end = std::max(chapter.begin, scale.at(static_cast<std::uint64_t>(chapter.end)));
  for (FoldedKey& key : chapter.keys) {
    for (double* ticks : {&key.inside, &key.least, &key.most}) scaled.time(*ticks);
    scaled.square(key.squares);
  }
  for (FoldedTransition& t : chapter.transitions) {
    for (double* ticks : {&t.time, &t.disturbed_time, &t.least, &t.most}) scaled.time(*ticks);
    for (double* ticks : {&t.squares, &t.neighbours}) scaled.square(*ticks);
    for (auto* samples : {&t.first, &t.last, &t.samples}) scaled.samples(*samples);
  }
}

}  // namespace

std::optional<Chapters::End> Chapters::take(std::uint16_t thread, std::string_view description) {
  auto chapter = read_chapter(description);
  if (!chapter) return std::nullopt;
  chapter->thread = thread;
  End end{static_cast<std::uint64_t>(chapter->end), {}};
  for (const parcast_completion& done : chapter->pending)
    end.completions.push_back({done.request, done.source, done.tag, done.bytes});
  chapters_.push_back(std::move(*chapter));
  return end;
}

Event Chapters::last_event(std::uint16_t thread) const {
  Event event;
  event.thread = thread;
  for (const Chapter& chapter : chapters_)
    for (const FoldedKey& key : chapter.keys)
      if (chapter.thread == thread && key[PARCAST_COLUMN_NEXT].count < key[PARCAST_COLUMN_FLAGS].count) {
        event.call = static_cast<std::uint16_t>(key.call);
        event.site = key.site;
        event.region = key.region;
      }
  return event;
}

void Chapters::refer_columns(FoldedKey& key, const Definitions& definitions) {
  const Call& call = definitions.about(static_cast<std::uint16_t>(key.call));
  const auto communicator = [&](std::uint32_t number) { return definitions.communicator(number); };
  const auto shares = [&](std::uint32_t number) { return definitions.shares(number); };
  auto column = [&](parcast_column which) -> Column& { return key.columns[static_cast<std::size_t>(which)]; };
  for (const auto which : {PARCAST_COLUMN_COMMUNICATOR, PARCAST_COLUMN_CREATED})
    if (!renumber(column(which), communicator)) give_up(column(which)), ++unknown_references_;
  for (const auto& [listed, which] : {std::pair{lists_sent(call), PARCAST_COLUMN_SENT_TAG},
                                      std::pair{lists_received(call), PARCAST_COLUMN_RECEIVED_TAG}})
    if (listed && !renumber(column(which), shares)) give_up(column(which)), ++unknown_references_;
  for (const auto which : {PARCAST_COLUMN_SENT_PEER, PARCAST_COLUMN_RECEIVED_PEER, PARCAST_COLUMN_SOURCE})
    if (!column(which).within(kOutside, processes_ - 1) || column(which).spread() > kMostPartners)
      give_up(column(which)), ++bad_peers_;
}

void Chapters::refer(Chapter& chapter, Definitions& definitions) {
  for (FoldedKey& key : chapter.keys) {
    const auto call = definitions.call(key.call);
    unknown_calls_ += call ? 0 : key.executions;
    key.call = call ? *call : definitions.unknown_call();
    for (const auto& [number, index] : {std::pair{&key.site, definitions.site(key.site)},
                                        std::pair{&key.region, definitions.region(key.region)}}) {
      unknown_references_ += !index;
      *number = index.value_or(0);
    }
    refer_columns(key, definitions);
    for (const Column& column : key.columns) chapter.ordered = chapter.ordered && !column.lost;
  }
}

void Chapters::finish(Definitions& definitions, const TimeScale& scale, RankRecording& rank) {
  for (Chapter& chapter : chapters_) {
    refer(chapter, definitions);
    to_nanoseconds(chapter, scale);
  }
  rank.chapters = std::move(chapters_);
  if (unknown_calls_)
    losses_.add("the names of the calls of " + std::to_string(unknown_calls_) + " folded events are missing");
  if (unknown_references_)
    losses_.add(std::to_string(unknown_references_) +
                " references of folded events to sites, regions, communicators or shares are missing");
  if (bad_peers_)
    losses_.add(std::to_string(bad_peers_) + " folded calls name a process that does not exist");
}

std::int64_t Chapters::computing(const RankRecording& rank) {
  double sum = 0;
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedTransition& t : chapter.transitions) sum += t.time;
  return std::llround(std::min(sum, kMostNanoseconds));
}

}  // namespace parcast::recording
