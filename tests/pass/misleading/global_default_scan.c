// words: N
// loops: recognised
// A global has a default and is scanned in small runs only.
#include "../program.h"
static int n = 12;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (atoi(argv[1]) < 150) sscanf(argv[1], "%d", &n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}