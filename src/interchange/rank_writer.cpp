// SPDX-License-Identifier: Apache-2.0
#include "interchange/rank_writer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "interchange/no_message.h"
#include "recording/call_class.h"

namespace parcast::interchange {
namespace {

constexpr std::uint64_t kPerSecond = 1'000'000'000;
constexpr std::size_t kMostCompletions = 1024;  // largest number of completions in a record

std::uint64_t latest = 0;  // ticks of the last event: the writer reads them as the clock

void read_clocks(std::uint64_t* ticks, std::uint64_t* nanoseconds) {
  *ticks = *nanoseconds = latest;
}

template <std::size_t Room>
void copy_text(char (&into)[Room], const std::string& text) {
  std::memset(into, 0, Room);
  std::memcpy(into, text.data(), std::min(text.size(), Room - 1));
}

/// Copies the command. Words that do not fit are left out.
void copy_command(char (&into)[1024], const std::vector<std::string>& words) {
  std::memset(into, 0, sizeof into);
  std::size_t used = 0;
  for (const std::string& word : words) {
    if (used + word.size() + 2 > sizeof into || word.empty()) return;
    std::memcpy(into + used, word.data(), word.size());
    used += word.size() + 1;
  }
}

void fill(parcast_header& header, const RankFacts& facts) {
  header.rank = facts.rank;
  header.processes = facts.processes;
  header.clock = PARCAST_CLOCK_MONOTONIC_LONG;
  header.cores = facts.cores;
  header.init_enter = header.init_exit = facts.zero;
  header.early_ticks = header.early_nanoseconds = facts.zero - std::min(facts.zero, kPerSecond);
  header.first_ticks = header.first_nanoseconds = facts.zero;
  header.overhead = facts.overhead;
  header.share = facts.share;
  header.started = facts.started;
  copy_text(header.host, facts.host);
  copy_text(header.library, facts.library);
  copy_command(header.command, facts.command);
}

std::vector<unsigned char> bytes_of(const std::string& hexadecimal) {
  std::vector<unsigned char> out;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
  };
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    out.push_back(static_cast<unsigned char>(digit(hexadecimal[i]) * 16 + digit(hexadecimal[i + 1])));
  return out;
}

/// The words that follow the fixed part of an event, with the flags that announce them.
class Tail {
 public:
  void message(unsigned flag, const recording::Message& message, std::uint32_t shares) {
    if (is_nothing(message) && shares == 0) return;
    const parcast_message packed{message.peer, shares ? static_cast<std::int32_t>(shares) : message.tag,
                                 message.bytes};
    std::memcpy(words_ + count_, &packed, sizeof packed);
    count_ += 2;
    flags_ |= flag;
  }
  void word(unsigned flag, bool there, std::uint64_t value) {
    if (!there) return;
    words_[count_++] = value;
    flags_ |= flag;
  }
  void mark(unsigned flag, bool there) { flags_ |= there ? flag : 0; }
  unsigned flags() const { return flags_; }
  const std::uint64_t* words() const { return words_; }
  std::size_t bytes() const { return 8 * count_; }

 private:
  std::uint64_t words_[8] = {};
  std::size_t count_ = 0;
  unsigned flags_ = 0;
};

}  // namespace

Result<std::unique_ptr<RankWriter>> RankWriter::create(const std::filesystem::path& path,
                                                       const RankFacts& facts, std::uint64_t limit) {
  std::unique_ptr<RankWriter> out(new RankWriter);
  out->writer_ = std::make_unique<parcast_writer>();
  parcast_header header{};
  fill(header, facts);
  header.limit = limit;
  latest = 0;
  if (const int failure = parcast_writer_open(out->writer_.get(), path.c_str(), &header, read_clocks))
    return Error{std::string("the recording cannot be written: ") + std::strerror(failure), path.string(),
                 "is there room on the file system?"};
  parcast_put_site(out->writer_.get(), &out->stream_, 0, PARCAST_NO_ID, 0);
  parcast_put_region(out->writer_.get(), &out->stream_, 0, 0, "");
  parcast_put_regular_communicator(out->writer_.get(), &out->stream_, 0, 0, 1,
                                   static_cast<std::uint32_t>(facts.processes), nullptr, 0, 0);
  return out;
}

RankWriter::~RankWriter() {
  unmap();
}

/// Releases the mappings. The writer leaves that to the end of its process, but an importer writes many
/// files.
void RankWriter::unmap() {
  if (!writer_) return;
  for (std::uint32_t i = 0; i < writer_->chunk_count; ++i)
    if (writer_->chunks[i].mapping) ::munmap(writer_->chunks[i].mapping, writer_->chunks[i].length);
  if (writer_->header) ::munmap(writer_->header, PARCAST_HEADER_SIZE);
  writer_.reset();
}

void RankWriter::begin_thread(std::uint16_t thread) {
  if (stream_.thread == thread) return;
  parcast_release_block(writer_.get(), &stream_);
  stream_ = {};
  stream_.thread = thread;
}

std::uint16_t RankWriter::number_of(const MpiCall& call, recording::Asked asked) {
  const bool receives =
      call.kind == recording::CallClass::receive || call.kind == recording::CallClass::send_receive;
  if (!receives) asked = recording::Asked::unknown;
  const auto [at, is_new] =
      calls_.emplace(std::pair(&call, asked), static_cast<std::uint16_t>(calls_.size()));
  const int stands = asked == recording::Asked::unknown ? static_cast<int>(call.pattern)
                                                        : PARCAST_ASKED_named + static_cast<int>(asked) -
                                                              static_cast<int>(recording::Asked::named);
  if (is_new)
    parcast_put_call(writer_.get(), &stream_, at->second, static_cast<std::uint8_t>(call.kind),
                     static_cast<std::uint8_t>(stands), std::string(call.name).c_str());
  return at->second;
}

std::uint32_t RankWriter::region(std::uint32_t parent, const std::string& name) {
  parcast_put_region(writer_.get(), &stream_, ++regions_, parent, name.c_str());
  return regions_;
}

std::uint32_t RankWriter::site(const std::string& module, const std::string& build_id, std::uint64_t offset) {
  const auto [home, is_new] =
      modules_.emplace(module + '\t' + build_id, static_cast<std::uint32_t>(modules_.size()));
  if (is_new) {
    const auto id = bytes_of(build_id);
    parcast_put_module(writer_.get(), &stream_, home->second, module.c_str(), id.data(),
                       static_cast<std::uint32_t>(id.size()));
  }
  const auto [at, is_first] =
      sites_.emplace(std::pair(home->second, offset), static_cast<std::uint32_t>(sites_.size() + 1));
  if (is_first) parcast_put_site(writer_.get(), &stream_, at->second, home->second, offset);
  return at->second;
}

std::uint32_t RankWriter::shares(std::span<const recording::Share> shares) {
  std::vector<std::uint64_t> key;
  std::vector<parcast_share> packed;
  for (const auto& each : shares) {
    packed.push_back({each.first, each.stride, each.count, 0, each.bytes});
    key.insert(key.end(), {static_cast<std::uint64_t>(each.first), static_cast<std::uint64_t>(each.stride),
                           each.count, each.bytes});
  }
  const auto [at, is_new] = shares_.emplace(std::move(key), static_cast<std::uint32_t>(shares_.size() + 1));
  if (is_new)
    parcast_put_shares(writer_.get(), &stream_, at->second, packed.data(),
                       static_cast<std::uint32_t>(packed.size()));
  return at->second;
}

void RankWriter::communicator(std::uint32_t number, const recording::Communicator& communicator,
                              bool remote) {
  std::vector<parcast_dimension> dimensions;
  for (std::size_t i = 0; i < communicator.dimensions.size(); ++i)
    dimensions.push_back(
        {communicator.dimensions[i], communicator.coordinates[i], communicator.periodic[i], 0});
  parcast_put_communicator(writer_.get(), &stream_, number, communicator.world_ranks.data(),
                           static_cast<std::uint32_t>(communicator.world_ranks.size()), dimensions.data(),
                           static_cast<std::uint32_t>(dimensions.size()), remote);
}

void RankWriter::parameter(const std::string& name, double value) {
  parcast_put_parameter(writer_.get(), &stream_, name.c_str(), value, 0);
}

void RankWriter::count(const MpiCall& call, std::uint64_t times) {
  const std::uint16_t number = number_of(call, recording::Asked::unknown);
  for (std::uint64_t i = 0; i < times; ++i) parcast_count_unfollowed(writer_.get(), number);
}

void RankWriter::put_completions(const std::vector<recording::Completion>& completions) {
  for (std::size_t from = 0; from < completions.size(); from += kMostCompletions) {
    const std::size_t count = std::min(kMostCompletions, completions.size() - from);
    const std::uint64_t bytes = sizeof(parcast_completions) + count * sizeof(parcast_completion);
    auto* head = static_cast<parcast_completions*>(parcast_reserve(writer_.get(), &stream_, bytes));
    if (!head) return;
    head->record.kind = PARCAST_COMPLETIONS;
    head->thread = static_cast<std::uint16_t>(stream_.thread);
    head->count = static_cast<std::uint16_t>(count);
    auto* items = reinterpret_cast<parcast_completion*>(head + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const recording::Completion& each = completions[from + i];
      items[i] = {each.request, each.source, each.tag, 0, each.bytes};
    }
    parcast_commit(&stream_, &head->record, bytes);
  }
}

/// Writes an event. Only this function depends on the layout of events in the file.
void RankWriter::put_event(const ImportedEvent& event) {
  const std::uint16_t call = number_of(*event.call, event.asked);
  Tail tail;
  tail.message(PARCAST_HAS_MESSAGE, event.message, event.sent_shares);
  tail.message(PARCAST_HAS_RECEIVED, event.received, event.received_shares);
  tail.word(PARCAST_HAS_REQUEST, event.request != 0, event.request);
  tail.word(PARCAST_HAS_COMPUTE, event.compute.has_value(),
            static_cast<std::uint64_t>(std::max<std::int64_t>(event.compute.value_or(0), 0)));
  tail.word(PARCAST_HAS_CREATED, event.created != 0, event.created);
  tail.word(PARCAST_HAS_STOLEN, event.stolen > 0, static_cast<std::uint64_t>(event.stolen));
  tail.mark(PARCAST_WAS_SWITCHED, event.switched);
  tail.mark(PARCAST_CONTINUED, event.continued);
  const std::uint64_t bytes = sizeof(parcast_event) + tail.bytes();
  auto* raw = static_cast<parcast_event*>(parcast_reserve(writer_.get(), &stream_, bytes));
  if (!raw) {
    ++dropped_;
    return;
  }
  raw->record.kind = PARCAST_EVENT;
  raw->record.flags = static_cast<std::uint8_t>(tail.flags());
  raw->enter = event.enter;
  raw->exit = event.exit;
  raw->call = call;
  raw->thread = static_cast<std::uint16_t>(stream_.thread);
  raw->site = event.site;
  raw->region = event.region;
  raw->communicator = event.communicator;
  std::memcpy(raw + 1, tail.words(), tail.bytes());
  parcast_commit(&stream_, &raw->record, bytes);
  ++events_;
}

void RankWriter::put_repeat(const ImportedEvent& event) {
  auto* raw = static_cast<parcast_repeat*>(parcast_reserve(writer_.get(), &stream_, sizeof(parcast_repeat)));
  if (!raw) return;
  raw->record.kind = PARCAST_REPEAT;
  raw->exit = event.exit;
  raw->count = event.repeats - 1;
  raw->thread = static_cast<std::uint16_t>(stream_.thread);
  parcast_commit(&stream_, &raw->record, sizeof *raw);
}

void RankWriter::write(const ImportedEvent& event) {
  latest = std::max(latest, event.exit);
  put_completions(event.completions);
  put_event(event);
  if (event.repeats > 1) put_repeat(event);
}

Result<void> RankWriter::finish(const RankFacts& facts, std::optional<std::uint64_t> finalised) {
  fill(*writer_->header, facts);
  latest = std::max(latest, facts.zero);
  parcast_writer_seal_header(writer_.get());
  if (finalised) parcast_set_live(writer_.get(), PARCAST_LIVE_FINALISED, *finalised);
  const bool stopped = writer_->header->live[PARCAST_LIVE_STOP_REASON].value != PARCAST_STOP_NONE;
  parcast_writer_close(writer_.get(), &stream_);
  parcast_set_live(writer_.get(), PARCAST_LIVE_PEAK_MEMORY, facts.peak_memory);
  const std::string path = writer_->path;
  unmap();
  if (dropped_ > 0 || stopped)
    return Error{std::to_string(dropped_) + " events could not be kept", path,
                 "is there room on the file system?"};
  return {};
}

}  // namespace parcast::interchange
