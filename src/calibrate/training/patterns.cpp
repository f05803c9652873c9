// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/patterns.h"

#include <algorithm>
#include <array>
#include <memory>

namespace parcast::training {
namespace {

constexpr double kLargest = 1 << 20;
constexpr std::size_t kMostMemory = std::size_t{64} << 20;  // bytes of a buffer

/// Buffers that all operations share.
struct Buffers {
  explicit Buffers(int processes)
      : send(std::min(kMostMemory,
                      static_cast<std::size_t>(kLargest) * static_cast<std::size_t>(std::max(processes, 8))),
             '\1'),
        receive(send.size(), '\2') {}
  std::vector<char> send, receive;
};

/// Exchange with the up to four neighbours of a grid of processes without wrap-around.
class Halo {
 public:
  explicit Halo(const Team& team) {
    int extents[2] = {0, 0};
    const int periods[2] = {0, 0};
    MPI_Dims_create(team.size(), 2, extents);
    MPI_Cart_create(team.communicator(), 2, extents, periods, 0, &grid_);
    for (int d = 0; d < 2; ++d)
      MPI_Cart_shift(grid_, d, 1, &neighbours_[static_cast<std::size_t>(2 * d)],
                     &neighbours_[static_cast<std::size_t>(2 * d + 1)]);
  }
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  ~Halo() { MPI_Comm_free(&grid_); }

  void exchange(Buffers& buffers, int bytes) const {
    std::array<MPI_Request, 8> requests;
    std::size_t at = 0;
    for (std::size_t i = 0; i < 4; ++i)
      MPI_Irecv(buffers.receive.data() + i * static_cast<std::size_t>(bytes), bytes, MPI_BYTE, neighbours_[i],
                1, grid_, &requests[at++]);
    for (std::size_t i = 0; i < 4; ++i)
      MPI_Isend(buffers.send.data() + i * static_cast<std::size_t>(bytes), bytes, MPI_BYTE, neighbours_[i], 1,
                grid_, &requests[at++]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  MPI_Comm grid_ = MPI_COMM_NULL;
  std::array<int, 4> neighbours_{};
};

struct Catalogue {
  Team& team;
  std::shared_ptr<Buffers> buffers;
  std::shared_ptr<Halo> halo;
  std::vector<Cell> cells;

  void add(const std::string& table, double bytes, int round, std::function<void()> operation) {
    cells.push_back({table, bytes, round, std::move(operation), {}, 0, false});
  }

  void add_collectives(int bytes, int round);
  void add_exchanges(int bytes, int round);
};

/// Those whose bytes are one message.
void Catalogue::add_collectives(int bytes, int round) {
  const MPI_Comm world = team.communicator();
  char* const send = buffers->send.data();
  char* const receive = buffers->receive.data();
  const int numbers = bytes / 8;
  add("broadcast", bytes, round, [=] { MPI_Bcast(send, bytes, MPI_BYTE, 0, world); });
  add("reduce", bytes, round, [=] { MPI_Reduce(send, receive, numbers, MPI_DOUBLE, MPI_SUM, 0, world); });
  add("allreduce", bytes, round, [=] { MPI_Allreduce(send, receive, numbers, MPI_DOUBLE, MPI_SUM, world); });
  add("scan", bytes, round, [=] { MPI_Scan(send, receive, numbers, MPI_DOUBLE, MPI_SUM, world); });
  if (static_cast<std::size_t>(bytes) * 4 <= buffers->send.size())
    add("halo2d", bytes, round, [grid = halo, all = buffers, bytes] { grid->exchange(*all, bytes); });
}

/// Those that move a block per process.
void Catalogue::add_exchanges(int bytes, int round) {
  const MPI_Comm world = team.communicator();
  char* const send = buffers->send.data();
  char* const receive = buffers->receive.data();
  const int p = team.size();
  if (static_cast<std::size_t>(bytes) * static_cast<std::size_t>(p) <= buffers->send.size()) {
    add("gather", bytes, round,
        [=] { MPI_Gather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, world); });
    add("scatter", bytes, round,
        [=] { MPI_Scatter(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, world); });
    add("allgather", bytes, round,
        [=] { MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, world); });
  }
  const int block = bytes / p / 8 * 8;
  if (block == 0) return;
  const double whole = static_cast<double>(block) * p;
  add("alltoall", whole, round,
      [=] { MPI_Alltoall(send, block, MPI_BYTE, receive, block, MPI_BYTE, world); });
  add("reduce_scatter", whole, round,
      [=] { MPI_Reduce_scatter_block(send, receive, block / 8, MPI_DOUBLE, MPI_SUM, world); });
}

}  // namespace

void measure_patterns(Team& team, double seconds, calibrate::Measurements& into) {
  Catalogue catalogue{team, std::make_shared<Buffers>(team.size()), std::make_shared<Halo>(team), {}};
  catalogue.add("barrier", 0, 0, [world = team.communicator()] { MPI_Barrier(world); });
  for (const int step : {4, 2}) {  // every fourth size first, those between in the second round
    for (int bytes = step == 4 ? 8 : 16; bytes <= static_cast<int>(kLargest); bytes *= 4) {
      const int round = step == 4 ? 0 : 1;
      catalogue.add_collectives(bytes, round);
      catalogue.add_exchanges(bytes, round);
    }
  }
  auto notes = measure(team, catalogue.cells, seconds);
  if (!team.leads()) return;
  report(catalogue.cells, team.size(), into);
  into.notes.insert(into.notes.end(), notes.begin(), notes.end());
}

}  // namespace parcast::training
