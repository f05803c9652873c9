// SPDX-License-Identifier: Apache-2.0
#include <parcast/collections.h>

#include <cstdio>

int main(int argc, char** argv) {
  return parcast::collections::run(argc, argv, [](parcast::collections::Team& team) {
    parcast::DistributedVector<int> a(team, 10, {parcast::Block});
    a.for_each([](parcast::Index1 i, int& x) { x = static_cast<int>(i); });
    const int sum = a.reduce(std::plus<>());
    if (team.rank() == 0) std::printf("%d\n", sum);
  });
}
