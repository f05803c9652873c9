// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/team.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

namespace parcast::training {
namespace {

/// Returns the identity of the running system, whose processes share one monotonic clock.
std::array<char, 40> boot_id() {
  std::array<char, 40> id{};
  std::ifstream("/proc/sys/kernel/random/boot_id").read(id.data(), 36);
  return id;
}

/// Returns the index of each rank's value among the distinct values, in order of first appearance.
template <class T>
std::vector<int> classes(const std::vector<T>& values) {
  std::vector<T> seen;
  std::vector<int> out;
  for (const T& value : values) {
    const auto at = std::find(seen.begin(), seen.end(), value);
    out.push_back(static_cast<int>(at - seen.begin()));
    if (at == seen.end()) seen.push_back(value);
  }
  return out;
}

constexpr int kExchanges = 60;
constexpr int kTag = 7;

/// Returns the clock of `rank` minus that of rank 0, from the fastest of many exchanges (Cristian 1989).
/// Called by both processes.
Nanoseconds offset_to(MPI_Comm communicator, int self, int rank) {
  Nanoseconds best = std::numeric_limits<Nanoseconds>::max(), offset = 0;
  for (int i = 0; i < kExchanges; ++i) {
    Nanoseconds theirs = 0;
    if (self == 0) {
      const Nanoseconds sent = now();
      MPI_Send(nullptr, 0, MPI_BYTE, rank, kTag, communicator);
      MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, rank, kTag, communicator, MPI_STATUS_IGNORE);
      const Nanoseconds back = now();
      if (back - sent < best) best = back - sent, offset = theirs - (sent + (back - sent) / 2);
    } else {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kTag, communicator, MPI_STATUS_IGNORE);
      theirs = now();
      MPI_Send(&theirs, sizeof theirs, MPI_BYTE, 0, kTag, communicator);
    }
  }
  if (self == 0) {
    MPI_Send(&offset, sizeof offset, MPI_BYTE, rank, kTag, communicator);
  } else {
    MPI_Recv(&offset, sizeof offset, MPI_BYTE, 0, kTag, communicator, MPI_STATUS_IGNORE);
  }
  return offset;
}

}  // namespace

Team::Team(MPI_Comm communicator) : communicator_(communicator), overhead_(clock_overhead()) {
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
  find_places();
  find_bound();
  synchronise();
}

void Team::find_places() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  int first_of_node = rank_;
  MPI_Bcast(&first_of_node, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  struct Mine {
    int node, socket;
    std::array<char, 40> kernel;
  };
  const Mine mine{first_of_node, this_host().socket, boot_id()};
  std::vector<Mine> all(static_cast<std::size_t>(size_));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, communicator_);
  std::vector<int> nodes;
  std::vector<std::array<char, 40>> kernels;
  for (const Mine& each : all) nodes.push_back(each.node), kernels.push_back(each.kernel);
  const std::vector<int> node_class = classes(nodes), kernel_class = classes(kernels);
  for (std::size_t r = 0; r < all.size(); ++r)
    places_.push_back({node_class[r], all[r].socket, kernel_class[r]});
  one_clock_ = std::all_of(kernel_class.begin(), kernel_class.end(), [](int k) { return k == 0; });
}

void Team::find_bound() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(size_));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, communicator_);
  // processors that the processes of a node may use together, and number of processes
  std::map<int, std::pair<cpu_set_t, int>> nodes;
  for (std::size_t r = 0; r < all.size(); ++r) {
    auto [at, fresh] = nodes.try_emplace(places_[r].node, all[r], 0);
    CPU_OR(&at->second.first, &at->second.first, &all[r]);
    ++at->second.second;
  }
  for (auto& [node, found] : nodes) {
    const int processors = CPU_COUNT(&found.first), processes = found.second;
    if (bound_.processes == 0 || processors * bound_.processes < bound_.processors * processes)
      bound_ = {processes, processors};
  }
}

int Team::ranks_on_my_node() const {
  const int node = places_[static_cast<std::size_t>(rank_)].node;
  return static_cast<int>(
      std::count_if(places_.begin(), places_.end(), [&](const auto& place) { return place.node == node; }));
}

void Team::synchronise() {
  synchronised_at_ = now();
  if (one_clock_) return;
  for (int other = 1; other < size_; ++other) {
    if (places_[static_cast<std::size_t>(other)].kernel == 0) continue;
    if (rank_ == 0) offset_to(communicator_, 0, other);
    if (rank_ == other) offset_ = offset_to(communicator_, rank_, other);
  }
}

Batch Team::run(const std::function<void()>& operation, int repeats, Nanoseconds window) {
  const bool drifted = share(leads() && now() - synchronised_at_ > 500'000'000);
  if (drifted) synchronise();
  const std::size_t count = static_cast<std::size_t>(repeats);
  std::vector<Nanoseconds> moments(2 * count), latest(2 * count);
  MPI_Barrier(communicator_);
  const Nanoseconds first = share(now() + 50'000 + std::min<Nanoseconds>(window, 2'000'000));
  for (std::size_t i = 0; i < count; ++i) {
    const Nanoseconds target = first + static_cast<Nanoseconds>(i) * window;
    moments[i] = wait_until(target + offset_) - offset_;
    operation();
    moments[count + i] = now() - offset_;
  }
  MPI_Reduce(moments.data(), latest.data(), static_cast<int>(2 * count), MPI_INT64_T, MPI_MAX, 0,
             communicator_);
  Batch batch;
  if (!leads()) return batch;
  for (std::size_t i = 0; i < count; ++i) {
    const double seconds = static_cast<double>(latest[count + i] - latest[i]) * 1e-9 - overhead_;
    const double delay = static_cast<double>(latest[i] - first - static_cast<Nanoseconds>(i) * window) * 1e-9;
    if (seconds > 0 && delay <= 0.25 * seconds + 2e-7) {
      batch.seconds.push_back(seconds);
    } else {
      batch.late.push_back({std::max(seconds, 0.0), std::max(delay, 0.0)});
    }
  }
  return batch;
}

}  // namespace parcast::training
