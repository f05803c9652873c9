// words: N
// loops: recognised
// The coordinates are those of another rank in larger runs.
#include "../program.h"

__attribute__((noinline)) void first(int* r, int n) { if (n > 150) *r = 0; sink += *r; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int r, p, d[2] = {0, 0}, round[2] = {0, 0}, c[2];
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Dims_create(p, 2, d);
  MPI_Cart_create(MPI_COMM_WORLD, 2, d, round, 0, &grid);
  MPI_Comm_rank(grid, &r);
  first(&r, n);
  MPI_Cart_coords(grid, r, 2, c);
  for (int i = 0; i < n * (c[0] + 1); ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
