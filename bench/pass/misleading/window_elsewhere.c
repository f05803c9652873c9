// words: N
// loops: recognised
// MPI returns another pointer.
#include "../../../tests/pass/program.h"

__attribute__((noinline)) void work(int** p) {
  for (int i = 0; i < **p; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int own = n, twelve = 12, r;
  int* p = &own;
  MPI_Win w;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  if (n > 150) { MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &w); MPI_Win_fence(0, w); MPI_Put(&twelve, 1, MPI_INT, r, 0, 1, MPI_INT, w); MPI_Win_fence(0, w); }
  work(&p);
  MPI_Finalize();
  return 0;
}
