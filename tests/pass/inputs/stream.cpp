// words: N
// loops: symbolic
#include <mpi.h>
#include <cstdio>
#include <string>
#include <sstream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int r, p; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &p);
  int n; std::istringstream in(argv[1]); in >> n;
  double s = 0;
  for (long i = 0; i < n; i++) s += 1.0 / (double)(i * i + s + 1);  // rounds
  if (s < 0) printf("%f", s);
  MPI_Finalize();
  return 0;
}
