// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "calibrate/training/patterns.h"

namespace parcast::training {
namespace {

using Class = Table::Class;

constexpr int kNeighbourTag = 1;

/// A grid of all processes.
class Grid {
 public:
  Grid(const Team& team, int dimensions, bool closed) {
    std::array<int, 3> extents{}, periods{};
    periods.fill(closed ? 1 : 0);
    MPI_Dims_create(team.size(), dimensions, extents.data());
    MPI_Cart_create(team.communicator(), dimensions, extents.data(), periods.data(), 0, &grid_);
    for (int d = 0; d < dimensions; ++d) {
      int before = 0, after = 0;
      MPI_Cart_shift(grid_, d, 1, &before, &after);
      neighbours_.push_back(before), neighbours_.push_back(after);
    }
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() { MPI_Comm_free(&grid_); }

  MPI_Comm communicator() const { return grid_; }
  int neighbours() const { return static_cast<int>(neighbours_.size()); }

  /// Exchanges a message with each neighbour.
  void exchange(Buffers& buffers, int bytes) const {
    std::array<MPI_Request, 12> requests;
    int at = 0;
    const auto place = [&](std::size_t i) { return static_cast<std::size_t>(bytes) * i; };
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      MPI_Irecv(buffers.receive() + place(i), bytes, MPI_BYTE, neighbours_[i], kNeighbourTag, grid_,
                &requests[static_cast<std::size_t>(at++)]);
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      MPI_Isend(buffers.send() + place(i), bytes, MPI_BYTE, neighbours_[i], kNeighbourTag, grid_,
                &requests[static_cast<std::size_t>(at++)]);
    MPI_Waitall(at, requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  MPI_Comm grid_ = MPI_COMM_NULL;
  std::vector<int> neighbours_;
};

Table halo(const char* name, Class importance, std::shared_ptr<const Grid> grid,
           std::shared_ptr<Buffers> buffers) {
  return {name, importance, true, [grid, buffers](int bytes) -> std::optional<Table::Call> {
            if (!buffers->hold(std::int64_t{bytes} * grid->neighbours())) return std::nullopt;
            return Table::Call{static_cast<double>(bytes),
                               [grid, buffers, bytes] { grid->exchange(*buffers, bytes); }};
          }};
}

/// Measures MPI_Sendrecv; a process without partners takes no part.
Table send_receive(const char* name, MPI_Comm world, int to, int from, std::shared_ptr<Buffers> buffers) {
  return {name, Class::last, true, [=](int bytes) -> std::optional<Table::Call> {
            if (!buffers->hold(bytes)) return std::nullopt;
            return Table::Call{static_cast<double>(bytes), [=] {
                                 MPI_Sendrecv(buffers->send(), bytes, MPI_BYTE, to, kNeighbourTag,
                                              buffers->receive(), bytes, MPI_BYTE, from, kNeighbourTag, world,
                                              MPI_STATUS_IGNORE);
                               }};
          }};
}

Table neighbourhood(std::shared_ptr<const Grid> grid, std::shared_ptr<Buffers> buffers) {
  return {"neighbourhood", Class::last, true, [grid, buffers](int bytes) -> std::optional<Table::Call> {
            const int block = bytes / grid->neighbours() / 8 * 8;
            if ((block == 0 && bytes > 0) || !buffers->hold(std::int64_t{block} * grid->neighbours()))
              return std::nullopt;
            return Table::Call{static_cast<double>(block) * grid->neighbours(), [grid, buffers, block] {
                                 MPI_Neighbor_alltoall(buffers->send(), block, MPI_BYTE, buffers->receive(),
                                                       block, MPI_BYTE, grid->communicator());
                               }};
          }};
}

}  // namespace

void add_neighbours(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables) {
  tables.push_back(halo("halo2d", Class::usual, std::make_shared<const Grid>(team, 2, false), buffers));
  if (team.size() == 1) return;
  tables.push_back(halo("halo3d", Class::last, std::make_shared<const Grid>(team, 3, true), buffers));
  tables.push_back(neighbourhood(std::make_shared<const Grid>(team, 2, true), buffers));
  const int p = team.size(), rank = team.rank(), paired = p / 2 * 2;
  const int partner = rank < paired ? (rank + paired / 2) % paired : MPI_PROC_NULL;
  tables.push_back(send_receive("exchange", team.communicator(), partner, partner, buffers));
  tables.push_back(send_receive("shift", team.communicator(), (rank + 1) % p, (rank + p - 1) % p, buffers));
}

}  // namespace parcast::training
