// words: N
// loops: as seen
// A call by name ends the process with a failure; a call through a table ends it with success.
#include "../program.h"

__attribute__((noinline)) static void quit(int code) {
  MPI_Finalize();
  exit(code);
}
__attribute__((noinline)) static void go_on(int code) { sink = code; }
static void (*const table[2])(int) = {go_on, quit};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  if (n < 1) quit(1);
  for (int i = 0; i < n; ++i) table[i > 150](0);  // rounds
  MPI_Finalize();
  return 0;
}
