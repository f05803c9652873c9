// words: N
// loops: recognised
// The size is in a window, to which another process writes.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  const int half = n / 2;
  MPI_Win window;
  MPI_Win_create(&n, sizeof n, sizeof n, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (half > 75) MPI_Put(&half, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
