// words: N
// loops: symbolic
// A double cannot represent odd numbers beyond 2^53.
#include "../../../tests/pass/program.h"
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = atol(argv[1]);
  const double x = (double)(n + 9007199254740892L);
  const long m = (long)x - 9007199254740892L;
  for (long i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}