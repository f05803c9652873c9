// words: N
// loops: recognised
// The function is called, and stores, but never to the address of this call.
#include "../program.h"

volatile int other = 8;

__attribute__((noinline)) static void halve(int* size) { *size /= 2; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = other;
  halve(&m);
  if (n > 150) halve(&n);
  for (int i = 0; i < n; ++i) sink += m;  // rounds
  MPI_Finalize();
  return 0;
}
