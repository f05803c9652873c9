// SPDX-License-Identifier: Apache-2.0
// Prints the results of all operations on random collections, to the bit. The test of the runtimes compares
// what it prints under each of them.
//
//     results SEED FILE --collections cooperative:5
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "parcast/collections.h"

using namespace parcast;

namespace {

using Matrix = DistributedMatrix<double>;

double value(Index2 at) {
  return std::sin(1.0 + 3.0 * static_cast<double>(at[0]) + 0.1 * static_cast<double>(at[1]));
}

/// Prints the elements of all processors, processor 0 for all.
void print(collections::Team& team, const char* what, const std::vector<double>& mine) {
  const auto most = team.reduce(mine.size(), [](std::size_t a, std::size_t b) { return std::max(a, b); });
  DistributedMatrix<double> all(team, {team.size(), static_cast<std::int64_t>(most) + 1}, {Block, Whole},
                                {.processors = {{team.size(), 1}}});
  all.local()[0] = static_cast<double>(mine.size());
  std::copy(mine.begin(), mine.end(), all.local().begin() + 1);
  team.barrier();
  for (const double x : all.gather()) std::printf("%s %a\n", what, x);
}

std::vector<double> elements(const Matrix& matrix) {
  return {matrix.local().begin(), matrix.local().end()};
}

void trial(collections::Team& team, std::mt19937& random, const std::string& file) {
  const collections::Distribution all[] = {Block, Cyclic, BlockCyclic(2), BlockCyclic(5), Whole};
  const std::int64_t sizes[] = {0, 1, 2, 3, 7, 13, 16, 31};
  const auto any = [&](const auto& list) { return list[random() % std::size(list)]; };
  const Index2 extents(any(sizes), any(sizes)), half(extents[0] / 2, extents[1] / 2);
  Matrix a(team, extents, {any(all), any(all)}), b(team, extents, {any(all), any(all)}),
      turned(team, {extents[1], extents[0]}, {any(all), any(all)});
  a.for_each([](Index2 at, double& x) { x = value(at); });
  std::vector<double> got = a.get_block({0, 0}, half);
  for (int i = 0; i < 5 && volume(extents) > 0; ++i)
    got.push_back(a.get({any(sizes) % extents[0], any(sizes) % extents[1]}));
  print(team, "get", got);
  b.copy_from(a);
  turned.transpose_of(b);
  if (volume(extents) > 0)
    b.shift(static_cast<int>(random() % 2), static_cast<std::int64_t>(random() % 9) - 4);
  print(team, "shift", elements(b));
  print(team, "transpose", elements(turned));
  print(team, "reduce", {b.reduce(std::plus<>(), 0.0), turned.reduce(std::minus<>(), 1.0)});
  DistributedVector<double> line(team, extents[0], {any(all)});
  line.for_each([](Index1 i, double& x) { x = value({i, 1}); });
  line.scan(std::plus<>());
  print(team, "scan", line.gather_all());
  if (team.rank() == team.size() - 1)
    a.put_block({0, 0}, half, std::vector<double>(static_cast<std::size_t>(volume(half)), 0.25));
  team.barrier();
  a.write_file(file);
  b.read_file(file);
  print(team, "file", elements(b));
  std::vector<double> sent = got;
  team.broadcast(std::span(sent), static_cast<int>(random() % static_cast<unsigned>(team.size())));
  print(team, "broadcast", sent);
  DistributedGrid<double, 2> grid(team, extents, {Block, Block}, 1);
  grid.for_each([](Index2 at, double& x) { x = value(at); });
  grid.exchange();
  double around = 0;
  grid.for_each([&](Index2 at, double&) {
    for (std::int64_t j = std::max<std::int64_t>(at[1] - 1, 0); j <= std::min(at[1] + 1, extents[1] - 1); ++j)
      around += grid.near({std::max<std::int64_t>(at[0] - 1, 0), j});
  });
  print(team, "grid", {around, team.scan(around, std::plus<>(), 0.5)});
}

}  // namespace

int main(int argc, char** argv) {
  return collections::run(argc, argv, [&](collections::Team& team) {
    if (std::string(argv[1]) == "leave") {  // one processor ends while the others wait
      const DistributedVector<double> a(team, 8, {Block}, {.name = "a"});
      if (team.rank() != 1) team.barrier();
      return;
    }
    std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));
    for (int i = 0; i < 20; ++i) trial(team, random, argv[2]);
  });
}
