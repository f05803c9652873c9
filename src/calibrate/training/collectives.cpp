// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "calibrate/parts.h"
#include "calibrate/training/patterns.h"

namespace parcast::training {
namespace {

using Class = Table::Class;

/// Counts for MPI's v-variants, and the offsets of the parts.
struct Parts {
  std::vector<int> counts, begins;
  explicit Parts(std::vector<int> parts) : counts(std::move(parts)), begins(counts.size(), 0) {
    std::partial_sum(counts.begin(), counts.end() - 1, begins.begin() + 1);
  }
};

/// Returns `total` in uneven parts, starting with the part of process `first`.
std::shared_ptr<const Parts> uneven(std::int64_t total, int processes, int first = 0) {
  std::vector<int> parts = calibrate::uneven_parts(total, processes);
  std::rotate(parts.begin(), parts.begin() + first, parts.end());
  return std::make_shared<const Parts>(std::move(parts));
}

class Catalogue {
 public:
  Catalogue(const Team& team, std::shared_ptr<Buffers> buffers, std::vector<Table>& into)
      : world_(team.communicator()),
        rank_(team.rank()),
        p_(team.size()),
        buffers_(std::move(buffers)),
        into_(into) {}

  void all() {
    into_.push_back({"barrier", Class::first, false, [world = world_](int) {
                       return Table::Call{0, [world] { MPI_Barrier(world); }};
                     }});
    whole_messages();
    blocks();
    uneven_blocks();
  }

 private:
  /// `call` returns the bytes of a point and the operation for a size.
  template <class MakeCall>
  void add(const char* name, Class importance, MakeCall call) {
    into_.push_back({name, importance, true, call});
  }
  template <class Enter>
  static Table::Call of(double bytes, Enter enter) {
    return {bytes, enter};
  }

  /// Adds the collectives whose bytes are one message.
  void whole_messages() {
    const auto whole = [this](const char* name, Class importance, auto make_enter) {
      add(name, importance, [b = buffers_, make_enter](int bytes) -> std::optional<Table::Call> {
        if (!b->hold(bytes)) return std::nullopt;
        return of(bytes, make_enter(bytes));
      });
    };
    whole("broadcast", Class::first, [b = buffers_, world = world_](int bytes) {
      return [=] { MPI_Bcast(b->send(), bytes, MPI_BYTE, 0, world); };
    });
    whole("reduce", Class::first, [b = buffers_, world = world_](int bytes) {
      return [=] { MPI_Reduce(b->send(), b->receive(), bytes / 8, MPI_DOUBLE, MPI_SUM, 0, world); };
    });
    whole("allreduce", Class::first, [b = buffers_, world = world_](int bytes) {
      return [=] { MPI_Allreduce(b->send(), b->receive(), bytes / 8, MPI_DOUBLE, MPI_SUM, world); };
    });
    whole("scan", Class::usual, [b = buffers_, world = world_](int bytes) {
      return [=] { MPI_Scan(b->send(), b->receive(), bytes / 8, MPI_DOUBLE, MPI_SUM, world); };
    });
  }

  /// Adds the collectives that move a block for each process.
  void blocks() {
    const auto blocked = [this](const char* name, auto enter) {
      add(name, Class::usual, [b = buffers_, p = p_, enter](int bytes) -> std::optional<Table::Call> {
        if (!b->hold(std::int64_t{bytes} * p)) return std::nullopt;
        return of(bytes, [b, bytes, enter] { enter(b->send(), b->receive(), bytes); });
      });
    };
    blocked("gather", [world = world_](char* send, char* receive, int bytes) {
      MPI_Gather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, world);
    });
    blocked("scatter", [world = world_](char* send, char* receive, int bytes) {
      MPI_Scatter(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, world);
    });
    blocked("allgather", [world = world_](char* send, char* receive, int bytes) {
      MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, world);
    });
    divided("alltoall", [world = world_](char* send, char* receive, int block) {
      MPI_Alltoall(send, block, MPI_BYTE, receive, block, MPI_BYTE, world);
    });
    divided("reduce_scatter", [world = world_](char* send, char* receive, int block) {
      MPI_Reduce_scatter_block(send, receive, block / 8, MPI_DOUBLE, MPI_SUM, world);
    });
  }

  /// Adds a collective whose bytes are divided by the processes, into blocks of integer size.
  template <class Enter>
  void divided(const char* name, Enter enter) {
    add(name, Class::usual, [b = buffers_, p = p_, enter](int bytes) -> std::optional<Table::Call> {
      const int block = bytes / p / 8 * 8;
      if ((block == 0 && bytes > 0) || !b->hold(std::int64_t{block} * p)) return std::nullopt;
      return of(static_cast<double>(block) * p, [b, block, enter] { enter(b->send(), b->receive(), block); });
    });
  }

  /// Adds the same with parts of different sizes and the same total.
  void uneven_blocks() {
    const auto blocked = [this](const char* name, auto enter) {
      add(name, Class::last, [b = buffers_, p = p_, enter](int bytes) -> std::optional<Table::Call> {
        if (!b->hold(std::int64_t{bytes} * p)) return std::nullopt;
        return of(bytes, [b, enter, parts = uneven(std::int64_t{bytes} * p, p)] {
          enter(b->send(), b->receive(), *parts);
        });
      });
    };
    const auto mine = static_cast<std::size_t>(rank_);
    blocked("gatherv", [world = world_, mine](char* send, char* receive, const Parts& parts) {
      MPI_Gatherv(send, parts.counts[mine], MPI_BYTE, receive, parts.counts.data(), parts.begins.data(),
                  MPI_BYTE, 0, world);
    });
    blocked("scatterv", [world = world_, mine](char* send, char* receive, const Parts& parts) {
      MPI_Scatterv(send, parts.counts.data(), parts.begins.data(), MPI_BYTE, receive, parts.counts[mine],
                   MPI_BYTE, 0, world);
    });
    blocked("allgatherv", [world = world_, mine](char* send, char* receive, const Parts& parts) {
      MPI_Allgatherv(send, parts.counts[mine], MPI_BYTE, receive, parts.counts.data(), parts.begins.data(),
                     MPI_BYTE, world);
    });
    // Process i sends part (i + j) mod p to process j, so that all send and receive the same total.
    add("alltoallv", Class::last,
        [b = buffers_, world = world_, p = p_, rank = rank_](int bytes) -> std::optional<Table::Call> {
          const int whole = bytes / p / 8 * 8 * p;
          if ((whole == 0 && bytes > 0) || !b->hold(whole)) return std::nullopt;
          return of(whole, [b, world, parts = uneven(whole, p, rank)] {
            MPI_Alltoallv(b->send(), parts->counts.data(), parts->begins.data(), MPI_BYTE, b->receive(),
                          parts->counts.data(), parts->begins.data(), MPI_BYTE, world);
          });
        });
  }

  MPI_Comm world_;
  int rank_, p_;
  std::shared_ptr<Buffers> buffers_;
  std::vector<Table>& into_;
};

}  // namespace

void add_collectives(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables) {
  Catalogue(team, buffers, tables).all();
}

}  // namespace parcast::training
