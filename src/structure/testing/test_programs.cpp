// SPDX-License-Identifier: Apache-2.0
#include "structure/testing/test_programs.h"

#include <cmath>

namespace parcast::program::testing {

using trace::Kind;

void TracedRank::compute(double seconds) {
  words_.add_compute(std::llround(seconds * 1e12));
}

std::uint32_t TracedRank::place(const char* call, int line) {
  return builder_.place({"main", "main", "test.cpp", line, call});
}

void TracedRank::message(Kind kind, const char* call, int line, std::int64_t peer, std::int64_t bytes,
                         int tag) {
  words_.add({.kind = kind,
              .peer = static_cast<std::int32_t>(peer - r),
              .tag = tag,
              .bytes = static_cast<std::uint64_t>(bytes),
              .place = place(call, line)});
}

void TracedRank::start_send(int line, std::int64_t to, std::int64_t bytes, int tag) {
  message(Kind::start_send, "MPI_Isend", line, to, bytes, tag);
  open_.push_back(words_.begun());
}

void TracedRank::start_receive(int line, std::int64_t from, std::int64_t bytes, int tag) {
  message(Kind::start_receive, "MPI_Irecv", line, from, bytes, tag);
  open_.push_back(words_.begun());
}

void TracedRank::get(int line, std::int64_t owner, std::int64_t bytes) {
  message(Kind::start_read, "MPI_Get", line, owner, bytes, 0);
  words_.add_wait(std::vector{words_.begun()}, place("MPI_Win_flush", line + 1));
}

void TracedRank::wait_all(int line) {
  words_.add_wait(open_, place("MPI_Waitall", line));
  open_.clear();
}

void TracedRank::wait_for(int line, std::uint64_t ago) {
  const std::uint64_t number = words_.begun() - ago + 1;
  words_.add_wait(std::span(&number, 1), place("MPI_Wait", line));
  std::erase(open_, number);
}

void TracedRank::exchange(int line, std::int64_t to, std::int64_t from, std::int64_t bytes, int tag) {
  if (from < 0 && to < 0) return;
  if (from < 0) return message(Kind::send, "MPI_Sendrecv", line, to, bytes, tag);
  if (to < 0) return message(Kind::receive, "MPI_Sendrecv", line, from, bytes, tag);
  message(Kind::start_receive, "MPI_Sendrecv", line, from, bytes, tag);
  message(Kind::start_send, "MPI_Sendrecv", line, to, bytes, tag);
  const std::vector<std::uint64_t> both{words_.begun() - 1, words_.begun()};
  words_.add_wait(both, place("MPI_Sendrecv", line));
}

void TracedRank::collective(int line, recording::Pattern pattern, std::int64_t bytes, std::int64_t root,
                            std::vector<std::int32_t> members) {
  if (members.size() == 1) return;  // as from_recording.cpp leaves it out
  std::uint32_t communicator = 0;
  if (!members.empty()) {
    const auto [at, is_new] = communicators_.emplace(members, 0);
    if (is_new) at->second = builder_.communicator(members);
    communicator = at->second;
  }
  words_.add({.kind = Kind::collective,
              .pattern = pattern,
              .communicator = communicator,
              .root = static_cast<std::int32_t>(root),
              .bytes = static_cast<std::uint64_t>(bytes),
              .place = place("MPI_Collective", line)});
}

trace::Trace trace_of(const Program& program, std::int32_t processes, const Values& values) {
  trace::Builder builder("test", processes);
  std::map<std::vector<std::int32_t>, std::uint32_t> communicators;
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    TracedRank traced(builder, rank, processes, values, communicators);
    program(traced);
    traced.finish();
  }
  return builder.finish();
}

std::vector<TracedRun> runs_of(const Program& program,
                               const std::vector<std::pair<std::int32_t, Values>>& points) {
  std::vector<TracedRun> runs;
  for (const auto& [processes, values] : points) {
    TracedRun& run = runs.emplace_back();
    run.run.processes = processes;
    run.trace = trace_of(program, processes, values);
    for (const auto& [name, value] : values) run.run.parameters.push_back(static_cast<double>(value));
  }
  return runs;
}

namespace {

/// Iterates over operations.
struct Along {
  Along(const trace::Trace& of, std::int32_t rank)
      : trace(of), walker(of.sequences[of.sequence_of[static_cast<std::size_t>(rank)]]) {}
  const trace::Operation* next() {
    while (walker.next()) {
      if (walker.item().what() == trace::Item::What::operation)
        return &trace.operations[walker.item().index()];
      computed += static_cast<double>(walker.item().time());
    }
    return nullptr;
  }
  const trace::Trace& trace;
  trace::Walker walker;
  double computed = 0;
};

std::vector<std::int32_t> members_of(const trace::Trace& trace, const trace::Operation& operation) {
  if (operation.communicator > 0) return trace.communicators[operation.communicator].members;
  std::vector<std::int32_t> all;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) all.push_back(rank);
  return all;
}

std::string text_of(const trace::Trace& trace, const trace::Operation& o) {
  std::string text = "kind " + std::to_string(static_cast<int>(o.kind)) + " peer " + std::to_string(o.peer) +
                     " tag " + std::to_string(o.tag) + " root " + std::to_string(o.root) + " bytes " +
                     std::to_string(o.bytes) + " pattern " + std::to_string(static_cast<int>(o.pattern));
  if (o.place != trace::kNowhere) text += " line " + std::to_string(trace.places[o.place].line);
  if (o.kind == Kind::wait)
    for (const std::uint32_t ago : trace.request_sets[o.requests]) text += " ago " + std::to_string(ago);
  if (o.kind == Kind::collective)
    text += " members " + std::to_string(members_of(trace, o).size()) + " from " +
            std::to_string(members_of(trace, o).front());
  return text;
}

}  // namespace

std::string difference(const trace::Trace& a, const trace::Trace& b, double relative) {
  if (a.ranks != b.ranks) return "numbers of ranks";
  for (std::int32_t rank = 0; rank < a.ranks; ++rank) {
    Along x(a, rank), y(b, rank);
    for (std::uint64_t number = 0;; ++number) {
      const trace::Operation *p = x.next(), *q = y.next();
      if (!p && !q) break;
      const std::string of_x = p ? text_of(a, *p) : "the end", of_y = q ? text_of(b, *q) : "the end";
      if (of_x != of_y)
        return "rank " + std::to_string(rank) + ", operation " + std::to_string(number) + ": " + of_x + "; " +
               of_y;
      if (p->kind == Kind::collective && members_of(a, *p) != members_of(b, *q))
        return "rank " + std::to_string(rank) + ": members of " + of_x;
    }
    if (std::abs(x.computed - y.computed) > relative * x.computed)
      return "rank " + std::to_string(rank) + " computes " + std::to_string(x.computed) + " and " +
             std::to_string(y.computed);
  }
  return "";
}

TestGrid::TestGrid(std::int64_t processes, int dimensions, bool around)
    : extents(static_cast<std::size_t>(dimensions), 1), periodic(around) {
  // The most even of all products: the smallest largest extent, then the smallest next one.
  std::vector<std::int64_t> best{processes + 1};
  const auto search = [&](auto&& self, std::vector<std::int64_t> head, std::int64_t rest) -> void {
    if (static_cast<int>(head.size()) + 1 == dimensions) {
      head.push_back(rest);
      if (head.size() > 1 && head[head.size() - 2] < rest) return;
      if (head < best) best = head;
      return;
    }
    for (std::int64_t extent = 1; extent <= rest; ++extent)
      if (rest % extent == 0 && (head.empty() || extent <= head.back())) {
        auto longer = head;
        longer.push_back(extent);
        self(self, longer, rest / extent);
      }
  };
  search(search, {}, processes);
  extents = best;
}

std::vector<std::int64_t> TestGrid::at(std::int64_t rank) const {
  std::vector<std::int64_t> coordinates(extents.size());
  for (std::size_t k = extents.size(); k-- > 0; rank /= extents[k]) coordinates[k] = rank % extents[k];
  return coordinates;
}

std::int64_t TestGrid::neighbour(std::int64_t rank, const std::vector<int>& shift) const {
  auto coordinates = at(rank);
  std::int64_t other = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::int64_t c = coordinates[k] + shift[k];
    if (periodic) c = (c + extents[k]) % extents[k];
    if (c < 0 || c >= extents[k]) return -1;
    other = other * extents[k] + c;
  }
  return other;
}

}  // namespace parcast::program::testing
