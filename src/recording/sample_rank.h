// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests: writes a rank's file with the writer that runs in programs, under a clock set by the test. A
// tick is half a nanosecond.

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "recording/call_class.h"
#include "recording/recording.h"
#include "recording/writer.h"

namespace parcast::recording {

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "parcast-recording-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The optional part of an event: flags and the words that they announce.
struct Extra {
  std::uint8_t flags = 0;
  std::vector<std::uint64_t> words = {};
};

class SampleRank {
 public:
  static constexpr std::uint64_t kZero = 1'000'000'000'000;  // ticks at MPI_Init's return
  static inline std::uint64_t now = kZero;                   // ticks

  static void read_clocks(std::uint64_t* ticks, std::uint64_t* nanoseconds) {
    *ticks = now;
    *nanoseconds = 7'000'000'000 + (now - kZero) / 2;
  }

  explicit SampleRank(const std::filesystem::path& path, int rank = 0, int processes = 4,
                      double overhead = 10e-9, std::uint64_t limit = 64u << 20, double share = 1) {
    parcast_header header{};
    header.share = share;
    header.rank = rank;
    header.processes = processes;
    header.clock = PARCAST_CLOCK_TSC_RSEQ;
    header.cores = 2;
    header.init_enter = kZero - 2'000'000'000;
    header.init_exit = kZero;
    header.early_ticks = kZero - 2'000'000'000;
    header.early_nanoseconds = 6'000'000'000;
    now = kZero;
    read_clocks(&header.first_ticks, &header.first_nanoseconds);
    header.overhead = overhead;
    header.started = 1'700'000'000'000'000'000;
    header.limit = limit;
    std::strcpy(header.host, "node7");
    std::strcpy(header.library, "Open MPI v4.1.4");
    std::memcpy(header.command,
                "app\0-n\0"
                "64",
                10);
    opened = parcast_writer_open(&writer, path.c_str(), &header, read_clocks);
    if (opened != 0) return;
    const unsigned char id[] = {0xde, 0xad, 0xbe, 0xef};
    parcast_put_module(&writer, &stream, 0, "/opt/app", id, sizeof id);
    parcast_put_site(&writer, &stream, 0, PARCAST_NO_ID, 0);
    parcast_put_region(&writer, &stream, 0, 0, "");
    parcast_put_regular_communicator(&writer, &stream, 0, 0, 1, static_cast<std::uint32_t>(processes),
                                     nullptr, 0, 0);
    parcast_put_call(&writer, &stream, 3, PARCAST_CLASS_send, PARCAST_PATTERN_none, "MPI_Send");
    parcast_put_call(&writer, &stream, 5, PARCAST_CLASS_wait, PARCAST_PATTERN_none, "MPI_Wait");
  }
  SampleRank(const SampleRank&) = delete;
  SampleRank& operator=(const SampleRank&) = delete;

  static std::vector<std::uint64_t> message(std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    const parcast_message packed{peer, tag, bytes};
    std::vector<std::uint64_t> words(2);
    std::memcpy(words.data(), &packed, sizeof packed);
    return words;
  }

  /// Adds an event that begins `gap` ticks after the last one and lasts `length` ticks.
  bool event(std::uint16_t call, std::uint64_t gap, std::uint64_t length, const Extra& extra = {},
             std::uint32_t site = 0, std::uint32_t region = 0, std::uint32_t communicator = 0,
             parcast_stream* on = nullptr) {
    parcast_stream& target = on ? *on : stream;
    const std::uint64_t bytes = sizeof(parcast_event) + 8 * extra.words.size();
    auto* event = static_cast<parcast_event*>(parcast_reserve(&writer, &target, bytes));
    now += gap;
    const std::uint64_t enter = now;
    now += length;
    if (!event) {
      parcast_count_dropped(&writer, 1);
      return false;
    }
    event->record.kind = PARCAST_EVENT;
    event->record.flags = extra.flags;
    event->enter = enter;
    event->exit = now;
    event->call = call;
    event->thread = static_cast<std::uint16_t>(target.thread);
    event->site = site;
    event->region = region;
    event->communicator = communicator;
    if (!extra.words.empty()) std::memcpy(event + 1, extra.words.data(), 8 * extra.words.size());
    parcast_commit(&target, &event->record, bytes);
    return true;
  }

  void completions(const std::vector<parcast_completion>& items, parcast_stream* on = nullptr) {
    parcast_stream& target = on ? *on : stream;
    const std::uint64_t bytes = sizeof(parcast_completions) + items.size() * sizeof(parcast_completion);
    auto* head = static_cast<parcast_completions*>(parcast_reserve(&writer, &target, bytes));
    if (!head) return;
    head->record.kind = PARCAST_COMPLETIONS;
    head->record.flags = 0;
    head->thread = static_cast<std::uint16_t>(target.thread);
    head->reserved = 0;
    head->count = static_cast<std::uint16_t>(items.size());
    std::memcpy(head + 1, items.data(), items.size() * sizeof(parcast_completion));
    parcast_commit(&target, &head->record, bytes);
  }

  /// Place of the next record in the file.
  std::uint64_t position() const { return stream.place + stream.offset; }

  void finish() {
    parcast_set_live(&writer, PARCAST_LIVE_FINALISED, now);
    parcast_writer_close(&writer, &stream);
  }

  parcast_writer writer{};
  parcast_stream stream{};
  int opened = 0;
};

/// The reader's result for a rank's file.
struct Read {
  std::vector<Call> calls;
  std::vector<Loss> losses;
  Result<RankRecording> rank;
};

inline Read read(std::string_view bytes) {
  Read read{{}, {}, Error{}};
  read.rank = read_rank(bytes, "rank-0.rec", read.calls, read.losses);
  return read;
}

}  // namespace parcast::recording
