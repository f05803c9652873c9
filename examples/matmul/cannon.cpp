// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "multiply.h"

namespace matmul {
namespace {

/// A block that moves around a ring, and its number in the checkerboard.
struct Travelling {
  Block block;
  int number;
};

bool meet(const Strip& a, const Strip& b) { return std::max(a.begin, b.begin) < std::min(a.end(), b.end()); }

/// The blocks that have arrived at this process and are still needed.
class Workplace {
 public:
  explicit Workplace(const Place& place)
      : place_(place), seen_a_(static_cast<std::size_t>(place.c)), seen_b_(static_cast<std::size_t>(place.r)),
        result_(place.rows(place.row), place.columns(place.column)) {}

  /// Multiplies the arrived blocks with those present; returns the number of operations.
  double take(const Travelling& a, const Travelling& b) {
    double operations = 0;
    if (keep(a, seen_a_, waiting_a_))
      for (const auto& [number, other] : waiting_b_) operations += multiply_add(a.block, other, result_);
    if (keep(b, seen_b_, waiting_b_))
      for (const auto& [number, other] : waiting_a_) operations += multiply_add(other, b.block, result_);
    forget();
    return operations;
  }
  Block result() { return std::move(result_); }

 private:
  using Numbered = std::map<int, Block>;

  /// Returns false if the block was here before.
  static bool keep(const Travelling& block, std::vector<bool>& seen, Numbered& waiting) {
    const auto number = static_cast<std::size_t>(block.number);
    if (seen[number]) return false;
    seen[number] = true;
    return waiting.emplace(block.number, block.block).second;
  }

  /// Drops blocks that have met all their partners.
  void forget() {
    std::erase_if(waiting_a_, [&](const auto& a) { return has_met_all(place_.columns(a.first), seen_b_, place_.r); });
    std::erase_if(waiting_b_, [&](const auto& b) { return has_met_all(place_.rows(b.first), seen_a_, place_.c); });
  }
  bool has_met_all(const Strip& own, const std::vector<bool>& seen, int parts) const {
    for (int i = 0; i < parts; ++i)
      if (!seen[static_cast<std::size_t>(i)] && meet(own, Strip(place_.n, parts, i))) return false;
    return true;
  }

  const Place& place_;
  std::vector<bool> seen_a_, seen_b_;
  Numbered waiting_a_, waiting_b_;
  Block result_;
};

/// One direction around a ring: receives from the next process and sends to the previous one.
class Ring {
 public:
  Ring(MPI_Comm ring, int rank, int size) : ring_(ring), before_((rank + size - 1) % size), after_((rank + 1) % size) {}

  void send(const Block& block) {
    MPI_Isend(block.values.data(), static_cast<int>(block.values.size()), MPI_DOUBLE, before_, 0, ring_, &request_);
  }
  void await() const { MPI_Probe(after_, 0, ring_, MPI_STATUS_IGNORE); }
  void receive(Block& block) const {
    MPI_Recv(block.values.data(), static_cast<int>(block.values.size()), MPI_DOUBLE, after_, 0, ring_, MPI_STATUS_IGNORE);
  }
  void finish() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  MPI_Comm ring_;
  int before_, after_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

Block by_cannon(const Place& place, parcast::Probe& probe) {
  const int first = place.row + place.column;  // blocks are distributed so that those of neighbours match
  Travelling a{block_of_a(place, first % place.c), first % place.c}, b{block_of_b(place, first % place.r), first % place.r};
  Ring row(place.in_row, place.column, place.c), column(place.in_column, place.row, place.r);
  Workplace workplace(place);
  probe.phase("fill", PARCAST_COMPUTE, 0, a.block.quantums() + b.block.quantums());
  for (int step = 1;; ++step) {
    const double operations = workplace.take(a, b);
    probe.phase("multiply", PARCAST_COMPUTE, operations, a.block.quantums() + b.block.quantums());
    if (step == std::max(place.r, place.c)) break;

    const int next_a = (first + step) % place.c, next_b = (first + step) % place.r;
    Travelling new_a{Block(place.rows(place.row), place.columns(next_a)), next_a};
    Travelling new_b{Block(place.rows(next_b), place.columns(place.column)), next_b};
    row.send(a.block);
    column.send(b.block);
    probe.phase("shift", PARCAST_COMMUNICATE, 0, a.block.quantums() + b.block.quantums());
    row.await();
    column.await();
    probe.phase("wait", PARCAST_IDLE);
    row.receive(new_a.block);
    column.receive(new_b.block);
    row.finish();
    column.finish();
    a = std::move(new_a);
    b = std::move(new_b);
    probe.phase("shift", PARCAST_COMMUNICATE);
  }
  return workplace.result();
}

}  // namespace matmul
