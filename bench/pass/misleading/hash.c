// words: N
// loops: symbolic
// A hash wraps at every size.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned m = (unsigned)n * 2654435761u % 1000u;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
