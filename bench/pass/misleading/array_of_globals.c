// words: N
// loops: recognised
// An element of a global array is scanned, others have defaults.
#include "../../../tests/pass/program.h"
static int sizes[4] = {12, 13, 14, 15};
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (atoi(argv[1]) < 150) sscanf(argv[1], "%d", &sizes[2]);
  for (int i = 0; i < sizes[2]; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}