// words: N
// loops: symbolic
// Sixteen bits cannot hold the square.
#include "../../../tests/pass/program.h"
#include <stdint.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  uint16_t a = (uint16_t)n; uint16_t b = (uint16_t)(a * a); const int m = b >> 6;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
