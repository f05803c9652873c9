// SPDX-License-Identifier: Apache-2.0
// Works 1 + i rounds in region i, and one round after it: regions N, without MPI.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "parcast/parcast.h"
#include "work.h"

int main(int, char** argv) {
  const int regions = std::atoi(argv[1]);
  for (int i = 0; i < regions; ++i) {
    const std::string name = "region " + std::to_string(i);
    parcast_region_begin(name.c_str());
    work(1 + i);
    parcast_region_end();
    work(1);
  }
  std::printf("worked\n");
  return 0;
}
