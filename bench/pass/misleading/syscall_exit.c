// words: N
// loops: as seen
// A system call ends the process.
#define _GNU_SOURCE
#include "../../../tests/pass/program.h"
#include <sys/syscall.h>
#include <unistd.h>
NOINLINE static void step(int i) { if (i > 150) { MPI_Finalize(); syscall(SYS_exit_group, 0); } sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}