// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "multiply.h"

namespace matmul {
namespace {

/// Gathers blocks of one size each; MPI_Allgatherv stores them one after the other.
std::vector<Block> gather(const Block& own, std::vector<Block> all, MPI_Comm ring) {
  std::vector<int> counts, places{0};
  for (const Block& block : all) counts.push_back(static_cast<int>(block.values.size()));
  for (const int count : counts) places.push_back(places.back() + count);
  std::vector<double> values(static_cast<std::size_t>(places.back()));
  MPI_Allgatherv(own.values.data(), static_cast<int>(own.values.size()), MPI_DOUBLE, values.data(), counts.data(), places.data(), MPI_DOUBLE, ring);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].values.assign(values.begin() + places[i], values.begin() + places[i + 1]);
  return all;
}

double quantums_of(const std::vector<Block>& blocks, int own) {
  const double all = std::accumulate(blocks.begin(), blocks.end(), 0.0, [](double sum, const Block& block) { return sum + block.quantums(); });
  return all - blocks[static_cast<std::size_t>(own)].quantums();
}

}  // namespace

Block by_broadcast(const Place& place, parcast::Probe& probe) {
  const Block own_a = block_of_a(place, place.column), own_b = block_of_b(place, place.row);
  std::vector<Block> of_a, of_b;
  for (int k = 0; k < place.c; ++k) of_a.emplace_back(place.rows(place.row), place.columns(k));
  for (int l = 0; l < place.r; ++l) of_b.emplace_back(place.rows(l), place.columns(place.column));
  Block result(place.rows(place.row), place.columns(place.column));
  probe.phase("fill", PARCAST_COMPUTE, 0, own_a.quantums() + own_b.quantums());

  MPI_Barrier(MPI_COMM_WORLD);
  probe.phase("wait", PARCAST_IDLE);
  of_a = gather(own_a, std::move(of_a), place.in_row);
  of_b = gather(own_b, std::move(of_b), place.in_column);
  probe.phase("broadcast", PARCAST_COMMUNICATE, 0, quantums_of(of_a, place.column) + quantums_of(of_b, place.row));

  double operations = 0;
  for (const Block& a : of_a)
    for (const Block& b : of_b) operations += multiply_add(a, b, result);
  probe.phase("multiply", PARCAST_COMPUTE, operations, result.quantums());
  return result;
}

}  // namespace matmul
