// words: N
// loops: recognised
// Coordinates, a global, are zeros without a grid.
#include "../../../tests/pass/program.h"
static int at[2];
NOINLINE static void ask(int big) {
  int p, rank, dims[2] = {0, 0}, round[2] = {0, 0};
  MPI_Comm grid;
  if (big) return;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Dims_create(p, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, round, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Comm_free(&grid);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  ask(n > 150);
  for (int i = at[0] + at[1]; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}