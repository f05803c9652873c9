// SPDX-License-Identifier: Apache-2.0
#include "observations/testing/synthetic_runs.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/binding.h"

namespace parcast::program::testing {

using recording::CallClass;
using recording::Pattern;
using recording::Recording;

Tape::Tape(Recording& recording, std::int32_t rank) : recording_(recording), rank_(rank) {
  recording::RankRecording one;
  one.rank = rank;
  one.regions = {""};
  one.modules = {{"/bin/" + recording.program, "0123456789abcdef"}};
  std::vector<std::int32_t> world;
  for (std::int32_t r = 0; r < recording.processes; ++r) world.push_back(r);
  one.communicators = {{world, {}, {}, {}}};
  recording.ranks.push_back(std::move(one));
  regions_[""] = 0;
}

recording::RankRecording& Tape::mine() {
  return recording_.ranks[static_cast<std::size_t>(rank_)];
}

std::uint32_t Tape::region_index() {
  const std::string path = join(path_, "/");
  const auto [at, is_new] = regions_.emplace(path, mine().regions.size());
  if (is_new) mine().regions.push_back(path);
  return at->second;
}

void Tape::compute(double seconds, bool disturbed) {
  computed_ += std::llround(seconds * 1e9);
  disturbed_ |= disturbed;
}

void Tape::begin(const std::string& region) {
  path_.push_back(region);
  call("parcast_region_begin", -1, CallClass::region_begin);
}

void Tape::end() {
  call("parcast_region_end", -2, CallClass::region_end);
  path_.pop_back();
}

void Tape::call(const std::string& name, int line, CallClass kind, Pattern pattern, Sent sent, Sent received,
                std::uint32_t communicator) {
  recording::Event event;
  auto& calls = recording_.calls;
  const auto known = std::find_if(calls.begin(), calls.end(), [&](const auto& c) { return c.name == name; });
  event.call = static_cast<std::uint16_t>(known - calls.begin());
  if (known == calls.end()) calls.push_back({name, kind, pattern});
  const auto [site, is_new] = sites_.emplace(line, static_cast<std::uint32_t>(mine().sites.size()));
  if (is_new)
    mine().sites.push_back(
        {0, static_cast<std::uint64_t>(4096 + 16 * line), "", recording_.program + ".c", line});
  event.site = site->second;
  event.region = region_index();
  event.communicator = communicator;
  event.enter = clock_ + computed_;
  event.exit = event.enter + 1000;
  event.compute = computed_;
  event.switched = disturbed_;
  event.message.peer = sent.to;
  event.message.bytes = sent.bytes;
  event.received.peer = received.to;
  event.received.bytes = received.bytes;
  clock_ = event.exit;
  mine().total_compute += computed_;
  mine().wall = clock_;
  computed_ = 0;
  disturbed_ = false;
  mine().events.push_back(event);
}

void Tape::send(int line, std::int32_t to, std::uint64_t bytes) {
  call("MPI_Send", line, CallClass::send, Pattern::none, {to, bytes});
}
void Tape::receive(int line, std::int32_t from, std::uint64_t bytes) {
  call("MPI_Recv", line, CallClass::receive, Pattern::none, {}, {from, bytes});
}
void Tape::exchange(int line, Sent sent, Sent received) {
  call("MPI_Sendrecv", line, CallClass::send_receive, Pattern::none, sent, received);
}
void Tape::collective(const std::string& name, int line, Pattern pattern, std::int32_t root,
                      std::uint64_t bytes, std::uint32_t communicator) {
  call(name, line, CallClass::collective, pattern, {root, bytes}, {}, communicator);
}
void Tape::finish() {
  call("MPI_Finalize", 9999, CallClass::finalise);
  mine().finalised = mine().complete = true;
}

Recording record(const std::string& program, std::map<std::string, double> parameters, std::int32_t processes,
                 const Program& body) {
  Recording recording;
  recording.program = program;
  recording.executable_digest = "digest of " + program;
  recording.parameters = std::move(parameters);
  recording.processes = processes;
  recording.cores_per_host = 2;
  recording.machine_summary = "two cores";
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    Tape tape(recording, rank);
    body(tape);
    tape.finish();
  }
  recording.digest = program + " " + std::to_string(processes);
  for (const auto& [name, value] : recording.parameters) recording.digest += " " + format_exact(value);
  return recording;
}

std::int64_t block(std::int64_t n, std::int64_t parts, std::int64_t part) {
  return n / parts + (part < n % parts ? 1 : 0);
}

void add_grid(Recording& recording, const std::vector<std::int32_t>& extents) {
  for (auto& rank : recording.ranks) {
    recording::Communicator grid = rank.communicators[0];
    grid.dimensions = extents;
    grid.periodic = {true, true};
    grid.coordinates = {rank.rank / extents[1], rank.rank % extents[1]};
    rank.communicators.push_back(std::move(grid));
  }
}

Recording shallow_water(int n, int steps, std::int32_t processes, double noise, std::uint64_t seed) {
  const auto extents = balanced_dimensions(processes, 2);
  Recording recording = record("swe", {{"n", n}, {"steps", steps}}, processes, [&](Tape& tape) {
    Numbers numbers(seed * 1000003 + static_cast<std::uint64_t>(tape.rank() * 101 + n * 7 + processes));
    const auto noisy = [&](double seconds) {
      return seconds * (1 + noise * (numbers.uniform() + numbers.uniform() - 1));
    };
    const std::int32_t rows = extents[0], columns = extents[1];
    const std::int32_t i = tape.rank() / columns, j = tape.rank() % columns;
    const auto at = [&](std::int32_t a, std::int32_t b) {
      return ((a + rows) % rows) * columns + (b + columns) % columns;
    };
    const auto lx = static_cast<std::uint64_t>(block(n, rows, i)),
               ly = static_cast<std::uint64_t>(block(n, columns, j));
    const double points = static_cast<double>(lx * ly);
    tape.compute(noisy(2e-5));
    tape.call("MPI_Cart_create", 20, CallClass::communicator);
    tape.begin("setup");
    tape.compute(noisy(30e-9 * points));
    tape.end();
    for (int step = 0; step < steps; ++step) {
      tape.begin("step");
      for (int field = 0; field < 3; ++field) {
        tape.compute(noisy(4e-9 * static_cast<double>(ly)));
        tape.exchange(50, {at(i - 1, j), 8 * (ly + 2)}, {at(i + 1, j), 8 * (ly + 2)});
        tape.exchange(52, {at(i + 1, j), 8 * (ly + 2)}, {at(i - 1, j), 8 * (ly + 2)});
        tape.exchange(54, {at(i, j - 1), 8 * lx}, {at(i, j + 1), 8 * lx});
        tape.exchange(56, {at(i, j + 1), 8 * lx}, {at(i, j - 1), 8 * lx});
      }
      tape.compute(noisy(20e-9 * points + 1e-6));
      tape.end();
      if (step % 10 == 0) tape.collective("MPI_Allreduce", 70, Pattern::allreduce, recording::kNoPeer, 8);
    }
    tape.collective("MPI_Gather", 80, Pattern::gather, 0, 8 * lx * ly);
    tape.collective("MPI_Reduce", 82, Pattern::reduce, 0, 16);
  });
  add_grid(recording, extents);
  return recording;
}

Recording gauss(int n, std::int32_t processes, double noise, std::uint64_t seed) {
  return record("gauss", {{"n", n}}, processes, [&](Tape& tape) {
    Numbers numbers(seed * 1000003 + static_cast<std::uint64_t>(tape.rank() * 101 + n * 7 + processes));
    const auto noisy = [&](double seconds) {
      return seconds * (1 + noise * (numbers.uniform() + numbers.uniform() - 1));
    };
    tape.compute(noisy(5e-9 * n * static_cast<double>(block(n, processes, tape.rank()))));
    for (int k = 0; k < n; ++k) {
      tape.collective("MPI_Bcast", 30, Pattern::broadcast, k % processes,
                      static_cast<std::uint64_t>(8 * (n + 1 - k)));
      const auto below =
          static_cast<double>(block(n, processes, tape.rank()) - block(k + 1, processes, tape.rank()));
      tape.compute(noisy(2e-9 * below * (n - k) + 5e-8));
    }
    for (int k = n - 1; k >= 0; --k) {
      tape.compute(noisy(3e-8));
      tape.collective("MPI_Bcast", 44, Pattern::broadcast, k % processes, 8);
    }
    tape.collective("MPI_Allreduce", 50, Pattern::allreduce, recording::kNoPeer, 8);
  });
}

namespace {

enum Of : std::uint16_t { kInit, kBegin, kEnd, kBarrier, kFinalise };
constexpr std::int64_t kMicro = 1000;

recording::Event event(std::uint16_t thread, Of call, std::int64_t enter, std::int64_t exit,
                       std::int64_t compute) {
  recording::Event out;
  out.thread = thread, out.call = call, out.enter = kMicro * enter, out.exit = kMicro * exit,
  out.compute = kMicro * compute;
  out.region = call == kBegin || call == kEnd ? 1 : 0;
  return out;
}

}  // namespace

Recording two_threads() {
  Recording out;
  out.program = "hybrid";
  out.processes = 2;
  out.calls = {{"MPI_Init", CallClass::initialise},
               {"parcast_region_begin", CallClass::region_begin},
               {"parcast_region_end", CallClass::region_end},
               {"MPI_Barrier", CallClass::collective, recording::Pattern::barrier},
               {"MPI_Finalize", CallClass::finalise}};
  for (std::int32_t number = 0; number < 2; ++number) {
    recording::RankRecording& rank = out.ranks.emplace_back();
    rank.rank = number;
    rank.finalised = rank.complete = true;
    rank.wall = 6900 * kMicro;
    rank.regions = {"", "parallel"};
    rank.sites.resize(1);
    rank.communicators.push_back({{0, 1}, {}, {}, {}});
    rank.events = {event(0, kInit, -100, 0, 0),         event(0, kBegin, 100, 100, 100),
                   event(1, kBegin, 110, 110, 0),       event(1, kEnd, 5090, 5090, 4980),
                   event(0, kEnd, 5100, 5100, 5000),    event(0, kBarrier, 5900, 5910, 800),
                   event(0, kFinalise, 6900, 6910, 990)};
  }
  return out;
}

}  // namespace parcast::program::testing
