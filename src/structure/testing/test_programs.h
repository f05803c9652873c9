// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small programs of known structure, as traces. Each function gives the operations of one rank, like its MPI
// source.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "structure/tokens.h"
#include "trace/builder.h"

namespace parcast::program::testing {

/// One rank of a test program. The line identifies a call.
class TracedRank {
 public:
  TracedRank(trace::Builder& builder, std::int32_t rank, std::int32_t processes,
             std::map<std::string, std::int64_t> parameters,
             std::map<std::vector<std::int32_t>, std::uint32_t>& communicators)
      : builder_(builder),
        words_(builder, rank),
        communicators_(communicators),
        r(rank),
        p(processes),
        parameters_(std::move(parameters)) {}

  void compute(double seconds);
  void send(int line, std::int64_t to, std::int64_t bytes, int tag = 0) {
    message(trace::Kind::send, "MPI_Send", line, to, bytes, tag);
  }
  void receive(int line, std::int64_t from, std::int64_t bytes, int tag = 0) {
    message(trace::Kind::receive, "MPI_Recv", line, from, bytes, tag);
  }
  void start_send(int line, std::int64_t to, std::int64_t bytes, int tag = 0);
  void start_receive(int line, std::int64_t from, std::int64_t bytes, int tag = 0);
  /// MPI_Get and the MPI_Win_flush after it; its line is the next one.
  void get(int line, std::int64_t owner, std::int64_t bytes);
  /// Waits for all open requests; does nothing if there are none.
  void wait_all(int line);
  /// Waits for one request by its age, 1: the last one begun.
  void wait_for(int line, std::uint64_t ago);
  /// MPI_Sendrecv; a side without a partner (-1) is MPI_PROC_NULL.
  void exchange(int line, std::int64_t to, std::int64_t from, std::int64_t bytes, int tag = 0);
  /// `members`: world ranks of the communicator; empty: all.
  void collective(int line, recording::Pattern pattern, std::int64_t bytes, std::int64_t root = 0,
                  std::vector<std::int32_t> members = {});

  std::int64_t operator[](const std::string& parameter) const { return parameters_.at(parameter); }
  void finish() { (void)words_.finish(); }

 private:
  void message(trace::Kind kind, const char* call, int line, std::int64_t peer, std::int64_t bytes, int tag);
  std::uint32_t place(const char* call, int line);

  trace::Builder& builder_;
  trace::RankBuilder words_;
  std::map<std::vector<std::int32_t>, std::uint32_t>& communicators_;
  std::vector<std::uint64_t> open_;

 public:
  const std::int64_t r, p;

 private:
  std::map<std::string, std::int64_t> parameters_;
};

using Program = std::function<void(TracedRank&)>;
using Values = std::map<std::string, std::int64_t>;

trace::Trace trace_of(const Program& program, std::int32_t processes, const Values& values);
/// Returns the runs at all points, with parameters in order of their names.
std::vector<TracedRun> runs_of(const Program& program,
                               const std::vector<std::pair<std::int32_t, Values>>& points);

/// Returns an empty text if two traces are equal, rank by rank and operation by operation, with computing
/// within a relative error (of a rank's total computing); otherwise the first difference.
std::string difference(const trace::Trace& a, const trace::Trace& b, double relative);

/// A process grid like that of MPI_Dims_create; the last dimension of the ranks is the fastest.
struct TestGrid {
  TestGrid(std::int64_t processes, int dimensions, bool periodic);
  std::vector<std::int64_t> at(std::int64_t rank) const;
  /// Returns the neighbour's rank; -1 if there is none.
  std::int64_t neighbour(std::int64_t rank, const std::vector<int>& shift) const;
  std::vector<std::int64_t> extents;
  bool periodic;
};

}  // namespace parcast::program::testing
