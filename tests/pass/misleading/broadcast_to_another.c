// words: N
// loops: recognised
// The root passes one variable, the others another.
#include "../program.h"

__attribute__((noinline)) void give(int* a) { MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD); sink += 1; }
__attribute__((noinline)) void get(int* b) { MPI_Bcast(b, 1, MPI_INT, 0, MPI_COMM_WORLD); sink += 2; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int rank, a = n < 100 ? n : 100, b = n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) give(&a); else get(&b);
  for (int i = 0; i < b; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
