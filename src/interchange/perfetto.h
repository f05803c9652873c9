// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes a simulated run as a trace for Perfetto (ui.perfetto.dev): a process per node, a thread per rank,
// slices for regions, computing and calls, arrows for messages. The trace is written while the simulation
// runs, so that memory does not grow with the run.
//
// The file is a protocol buffers message `Trace`. The writer encodes it directly: there are few kinds of
// messages, and no library is needed. Times are integer nanoseconds. docs/formats/perfetto.md describes the
// fields.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "interchange/open_regions.h"
#include "interchange/predicted_calls.h"
#include "interchange/unfinished_file.h"
#include "predict/simulate/platform.h"

namespace parcast::interchange {

/// The encoded fields of one protocol buffers message.
class ProtoMessage {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  void fixed(std::uint32_t field, std::uint64_t value);
  void text(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const ProtoMessage& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

class PerfettoWriter : public PredictedCalls {
 public:
  /// Creates the writer. Fails if `to` exists or its folder is not writable.
  static Result<PerfettoWriter> create(const trace::Trace& trace, const simulate::Platform& platform,
                                       const std::filesystem::path& to);
  /// To be called after finish(): writes the rest and gives the file its name.
  Result<void> close();
  std::uint64_t packets() const { return packets_; }

 protected:
  void call(const PredictedCall& call) override;
  void rank_ended(std::int32_t rank, Time idle_from, Time at) override;

 private:
  PerfettoWriter(const trace::Trace& trace, const simulate::Platform& platform, UnfinishedFile file);
  void describe_tracks(const simulate::Platform& platform);
  std::uint64_t name(std::string_view text, ProtoMessage& packet);
  void begin(std::int32_t rank, Time at, std::string_view what, std::string_view category,
             ProtoMessage event);
  void end(std::int32_t rank, Time at, ProtoMessage event = {});
  void compute(std::int32_t rank, Time from, Time to);
  void go_to_region(std::int32_t rank, const std::string& path, Time at);
  void put(const ProtoMessage& packet);
  ProtoMessage arguments(const PredictedCall& call) const;

  UnfinishedFile file_;
  std::string pending_;
  std::map<std::string, std::uint64_t, std::less<>> names_;
  std::vector<OpenRegions> open_;  // by rank
  std::uint64_t packets_ = 0;
};

}  // namespace parcast::interchange
