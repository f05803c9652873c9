// words: N
// loops: recognised
// The same, passed to a function of the program that is called in all runs.
#include "../program.h"

volatile int which = 1;

__attribute__((noinline)) static void halve(int* size) { *size /= 2; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n[2] = {atoi(argv[1]), 8};
  if (n[0] > 150) which = 0;
  halve(&n[which]);
  for (int i = 0; i < n[0]; ++i) sink += n[1];  // rounds
  MPI_Finalize();
  return 0;
}
