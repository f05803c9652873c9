// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the file of one rank of a recording from what an importer read. It uses the writer that runs in
// recorded processes, so that there is only one format. Ticks are nanoseconds on a time line that all ranks
// share.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "interchange/mpi_calls.h"
#include "recording/recording.h"
#include "recording/writer.h"

namespace parcast::interchange {

/// Content of the file's first page.
struct RankFacts {
  std::int32_t rank = 0, processes = 1;
  std::string host, library;
  std::vector<std::string> command;
  std::uint32_t cores = 0;
  double share = 1, overhead = 0;  // share of a core; overhead in seconds per event
  std::uint64_t started = 0;       // nanoseconds since 1970, UTC, at `zero`
  std::uint64_t zero = 0;          // ticks when MPI_Init returned
  std::uint64_t peak_memory = 0;
};

/// A call as it is written to the file. Messages use world ranks, as in recording::Event.
struct ImportedEvent {
  const MpiCall* call = nullptr;
  std::uint64_t enter = 0, exit = 0;  // ticks
  std::uint32_t site = 0, region = 0, communicator = 0;
  recording::Message message, received;
  std::uint32_t sent_shares = 0, received_shares = 0;
  // for a call that receives and returns with the message
  recording::Asked asked = recording::Asked::unknown;
  std::uint32_t request = 0, created = 0, repeats = 1;
  bool continued = false, switched = false;
  // nanoseconds of computing; if absent: the time since the previous exit minus the overhead
  std::optional<std::int64_t> compute;
  std::int64_t stolen = 0;
  std::vector<recording::Completion> completions;
};

class RankWriter {
 public:
  /// `limit`: the file's largest size in bytes. The facts need not be known yet.
  static Result<std::unique_ptr<RankWriter>> create(const std::filesystem::path& path, const RankFacts& facts,
                                                    std::uint64_t limit);
  ~RankWriter();
  RankWriter(const RankWriter&) = delete;
  RankWriter& operator=(const RankWriter&) = delete;

  /// Starts a thread. The events that follow belong to it, in order of time.
  void begin_thread(std::uint16_t thread);
  void write(const ImportedEvent& event);

  /// These return numbers for use in events. Number 0 is the path without regions, and the unknown site.
  std::uint32_t region(std::uint32_t parent, const std::string& name);
  // build id in hexadecimal
  std::uint32_t site(const std::string& module, const std::string& build_id, std::uint64_t offset);
  std::uint32_t shares(std::span<const recording::Share> shares);
  /// Number 0 is MPI_COMM_WORLD, which always exists.
  void communicator(std::uint32_t number, const recording::Communicator& communicator, bool remote);
  void parameter(const std::string& name, double value);
  /// Adds calls that are only counted by name.
  void count(const MpiCall& call, std::uint64_t times);

  /// Writes the facts into the first page. `finalised`: ticks when MPI_Finalize was entered. Fails if some
  /// data could not be written.
  Result<void> finish(const RankFacts& facts, std::optional<std::uint64_t> finalised);

  std::uint64_t events() const { return events_; }

 private:
  RankWriter() = default;
  std::uint16_t number_of(const MpiCall& call, recording::Asked asked);
  void put_completions(const std::vector<recording::Completion>& completions);
  void put_event(const ImportedEvent& event);
  void put_repeat(const ImportedEvent& event);
  void unmap();

  std::unique_ptr<parcast_writer> writer_;
  parcast_stream stream_{};
  std::map<std::pair<const MpiCall*, recording::Asked>, std::uint16_t> calls_;
  std::map<std::string, std::uint32_t> modules_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> sites_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> shares_;
  std::uint32_t regions_ = 0;
  std::uint64_t events_ = 0, dropped_ = 0;
};

}  // namespace parcast::interchange
