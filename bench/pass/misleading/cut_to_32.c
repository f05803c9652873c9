// words: N
// loops: recognised
// 32 bits cannot hold the value.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const long a = (long)n * n * n * 200;
  const int b = (int)a / 1000000;
  for (int i = 0; i < b; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
