// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/test_app.h"

#include <algorithm>

namespace parcast::simulate::testing {

using recording::Pattern;
using trace::Kind;
using trace::Mode;

Node at(std::uint32_t line, Node node) {
  node.operation.place = line;
  return node;
}

namespace {

constexpr std::uint32_t kLines = 100;

Body rank_of_app(std::int32_t rank) {
  const std::int32_t right = (rank + 1) % kAppRanks, left = (rank + kAppRanks - 1) % kAppRanks;
  Body body{compute(1000 * (rank + 1)),
            at(10, start_receive(left, 1)),
            at(11, start_send(right, 100, Mode::standard, 1)),
            at(12, wait({1, 2})),
            at(20, collective(Pattern::broadcast, 64, 0)),
            rank % 2 == 0 ? at(31, send(rank + 1, 5000, Mode::synchronous, 2)) : at(32, receive(rank - 1, 2)),
            at(40, collective(Pattern::allreduce, 8, 0, 1)),
            at(50, collective(Pattern::gather, 8, 2))};
  if (rank > 0) body.push_back(at(61, send(0, 10, Mode::standard, 3)));
  for (std::int32_t from = 1; rank == 0 && from < kAppRanks; ++from)
    body.push_back(at(static_cast<std::uint32_t>(61 + from), receive(from, 3)));
  body.push_back(at(70, collective(Pattern::barrier, 0)));
  return body;
}

}  // namespace

Program app() {
  Program program;
  for (std::int32_t rank = 0; rank < kAppRanks; ++rank) program.ranks.push_back(rank_of_app(rank));
  program.communicators = {trace::Communicator{}, {{5, 4, 3, 2, 1, 0}}, {{0, 1, 2, 3, 4, 5}}};
  return program;
}

trace::Trace traced(const Program& program) {
  trace::Trace trace = to_trace(program);
  for (std::uint32_t line = 0; line < kLines; ++line)
    trace.places.push_back({"main", "main", "app.c", static_cast<std::int32_t>(line), "MPI_Call"});
  return trace;
}

Platform app_platform() {
  Platform out;
  out.links = {{.latency = 5000,
                .send_overhead = 300,
                .receive_overhead = 200,
                .gap = 100,
                .gap_per_byte = kOne,
                .eager_limit = 1000,
                .rendezvous_gap_per_byte = kOne}};
  return out;
}

Body::iterator call_in(Program& program, std::int32_t rank, std::uint32_t line) {
  Body& body = program.ranks[static_cast<std::size_t>(rank)];
  return std::find_if(body.begin(), body.end(), [&](const Node& node) {
    return node.what == trace::Item::What::operation && node.operation.place == line;
  });
}
trace::Operation& operation(Program& program, std::int32_t rank, std::uint32_t line) {
  return call_in(program, rank, line)->operation;
}
void leave_out(Program& program, std::int32_t rank, std::uint32_t line) {
  program.ranks[static_cast<std::size_t>(rank)].erase(call_in(program, rank, line));
}

std::vector<Bug> hanging_bugs() {
  std::vector<Bug> bugs;
  seed(bugs, "missing receive", {32, 62, 63, 64, 65, 66}, leave_out);
  seed(bugs, "missing send", {31, 61}, leave_out);
  seed(bugs, "missing collective", {40, 70}, leave_out);
  seed(bugs, "wrong tag", {10, 11, 31, 32, 61, 62, 66},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         operation(program, rank, line).tag += 40;
       });
  seed(bugs, "wrong communicator", {10, 11, 31, 32, 61, 62, 66},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         operation(program, rank, line).communicator = 2;
       });
  seed(bugs, "collective in another communicator", {40, 70},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         operation(program, rank, line).communicator = 2;
       });
  seed(bugs, "wrong partner", {10, 11, 31, 32}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    std::int32_t& peer = operation(program, rank, line).peer;
    peer = (peer + 2) % kAppRanks;
  });
  seed(bugs, "two sends face to face", {32}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    *call_in(program, rank, line) = at(32, send(rank - 1, 5000, Mode::standard, 2));
  });
  seed(bugs, "cut short", {10, 20, 31, 32, 40, 50, 61, 70},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         Body& body = program.ranks[static_cast<std::size_t>(rank)];
         body.erase(call_in(program, rank, line), body.end());
       });
  return bugs;
}

}  // namespace parcast::simulate::testing
