// SPDX-License-Identifier: Apache-2.0
// The thread that initialised MPI ends, and another one continues with it. Known amounts for recorded.py.
#include <mpi.h>

#include <cstdio>
#include <thread>

#include "work.h"

int main(int argc, char** argv) {
  work(5);
  std::thread([&] {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    work(10);
    MPI_Barrier(MPI_COMM_WORLD);
    work(20);
  }).join();
  for (int i = 0; i < 2; ++i)
    std::thread([&] {
      MPI_Barrier(MPI_COMM_WORLD);
      work(100);
      MPI_Barrier(MPI_COMM_WORLD);
      work(100);
      if (i == 1) MPI_Finalize();
    }).join();
  work(6);
  std::printf("worked\n");
  return 0;
}
