// SPDX-License-Identifier: Apache-2.0
// Uses the region interface before, between and after MPI, in C++, with exceptions through it.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

#include "parcast/parcast.h"

static void throwing() {
  parcast::Region region("inner");
  MPI_Barrier(MPI_COMM_WORLD);
  throw std::runtime_error("expected");
}

int main(int argc, char** argv) {
  parcast_parameter("n", 1);
  parcast::Region whole("main");
  MPI_Init(&argc, &argv);
  parcast_parameter("n", 64);
  parcast_parameter("cells", 4096);
  for (int i = 0; i < 3; ++i) {
    parcast::Region step("step");
    try {
      throwing();
    } catch (const std::runtime_error&) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  parcast_region_begin("last");
  MPI_Barrier(MPI_COMM_WORLD);
  parcast_region_end();
  parcast_region_end();  // main
  parcast_region_end();  // one too many
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  parcast_region_begin("after");
  parcast_region_end();
  std::puts("done");
}
