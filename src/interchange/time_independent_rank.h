// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts the actions of one rank of a time-independent trace into operations of a trace.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/builder.h"
#include "trace/trace.h"

namespace parcast::interchange {

/// SimGrid's values for constants that MPI leaves to the implementation. SimGrid's traces contain
/// kTiTracedAnySource, although its replay rejects it. The value -1 is also accepted for any source and any
/// tag.
inline constexpr std::int32_t kTiAnySource = -555, kTiTracedAnySource = -333, kTiAnyTag = -444,
                              kTiNoProcess = -666;

/// Sizes in bytes of SimGrid's types, by number: 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte,
/// ...
inline constexpr std::array<std::uint8_t, 38> kTiTypeBytes{8,  4,  1, 2, 8, 4,  1,  8, 1, 1, 2,  4, 8,
                                                           8,  16, 4, 1, 1, 2,  4,  8, 1, 2, 4,  8, 8,
                                                           16, 32, 8, 8, 8, 16, 16, 8, 8, 8, 16, 16};

/// State that all ranks share while they are read, and the assumptions made.
struct TiTerms {
  std::int32_t ranks = 0;
  double flops_per_second = 1;
  bool computed = false, slept = false, polled = false, uneven = false, communicators = false,
       exclusive = false;
};

class TiArguments;

class TiRank {
 public:
  TiRank(std::int32_t rank, trace::Builder& builder, TiTerms& terms)
      : rank_(rank), terms_(terms), words_(builder, rank) {}

  /// Converts a line: rank, action, arguments. An error describes the problem without a place.
  Result<void> action(std::span<const std::string_view> line);
  /// Waits for the requests that are still open, as replay does. Fails if the rank has no finalize.
  Result<void> finish();

 private:
  struct Open {
    std::uint64_t begun_as = 0;  // 1: the first request of the rank
    std::int32_t source = 0, destination = 0, tag = 0;
  };
  struct Action;
  static const std::vector<Action>& actions();
  static const Action* find(std::string_view name);

  void initialise(TiArguments& in);
  void finalise(TiArguments& in);
  void skip_communicator(TiArguments& in);
  void skip(TiArguments&) {}
  void compute(TiArguments& in);
  void sleep(TiArguments& in);
  void send(TiArguments& in);
  void start_send(TiArguments& in);
  void send_synchronous(TiArguments& in);
  void start_send_synchronous(TiArguments& in);
  void receive(TiArguments& in);
  void start_receive(TiArguments& in);
  void send_receive(TiArguments& in);
  void wait(TiArguments& in);
  void wait_for_all(TiArguments& in);
  void poll(TiArguments& in);
  void barrier(TiArguments& in);
  void broadcast(TiArguments& in);
  void reduce(TiArguments& in);
  void allreduce(TiArguments& in);
  void scan(TiArguments& in);
  void exclusive_scan(TiArguments& in);
  void alltoall(TiArguments& in);
  void alltoall_uneven(TiArguments& in);
  void gather(TiArguments& in);
  void gather_uneven(TiArguments& in);
  void allgather(TiArguments& in);
  void allgather_uneven(TiArguments& in);
  void scatter(TiArguments& in);
  void scatter_uneven(TiArguments& in);
  void reduce_scatter(TiArguments& in);

  void put_time(TiArguments& in, double seconds);
  void compute_behind(TiArguments& in, std::size_t operations_at);
  void message(TiArguments& in, trace::Kind kind, trace::Mode mode = trace::Mode::standard);
  void put_message(TiArguments& in, trace::Kind kind, trace::Mode mode, std::int32_t partner,
                   std::int32_t tag, std::uint64_t bytes);
  void put_collective(TiArguments& in, recording::Pattern pattern, std::uint64_t bytes,
                      std::int32_t root = 0);
  std::vector<Open>::iterator find_open(std::int32_t source, std::int32_t destination, std::int32_t tag);
  void wait_for_open();

  const std::int32_t rank_;
  TiTerms& terms_;
  trace::RankBuilder words_;
  std::uint64_t default_bytes_ = 0;  // of an element without a type; 0: no init seen yet
  bool finalised_ = false;
  std::vector<Open> open_;  // in the order in which they began
  std::set<std::array<std::int32_t, 3>> polled_;
};

}  // namespace parcast::interchange
