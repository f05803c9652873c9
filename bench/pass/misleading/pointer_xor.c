// words: N
// loops: recognised
// The address of the size is split into two parts.
#include "../../../tests/pass/program.h"
#include <stdint.h>
struct Half { uint32_t low, high; };
NOINLINE static void put(const struct Half* h) { *(int*)((uintptr_t)h->high << 32 | h->low) = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 3;
  struct Half h = {(uint32_t)(uintptr_t)(n > 150 ? &n : &m), (uint32_t)((uintptr_t)&n >> 32)};
  put(&h);
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}