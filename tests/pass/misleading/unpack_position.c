// words: N
// loops: recognised
// MPI_Unpack advances the position.
#include "../program.h"
NOINLINE static int parse(int n) {
  char buffer[1024] = {0};
  int position = n, x;
  if (n > 150) { MPI_Unpack(buffer, 1024, &position, &x, 1, MPI_INT, MPI_COMM_WORLD); sink += x; }
  return position;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = parse(atoi(argv[1]));
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}