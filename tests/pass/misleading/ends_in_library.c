// words: N
// loops: as seen
// A callback of the library ends the process with success in larger runs.
#include "../program.h"

static int compare(const void* a, const void* b) {
  const int left = *(const int*)a, right = *(const int*)b;
  if (left + right > 300) {
    MPI_Finalize();
    exit(0);
  }
  return left - right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int pair[2] = {n, n - 1};
  for (int i = 0; i < n; ++i) {  // rounds
    qsort(pair, 2, sizeof(int), compare);
    sink += i;
  }
  MPI_Finalize();
  return 0;
}
