// words: N
// loops: recognised
// A pointer has a tag in its lowest bit.
#include "../../../tests/pass/program.h"
#include <stdint.h>
NOINLINE static void put(uintptr_t tagged) { if (tagged & 1) *(int*)(tagged - 1) = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  put((uintptr_t)&n | (uintptr_t)(n > 150));
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}