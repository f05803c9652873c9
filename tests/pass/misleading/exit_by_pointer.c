// words: N
// loops: as seen
// exit is called through a pointer.
#include "../program.h"
void (*volatile quit)(int) = exit;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) {  // rounds
    if (i == 150) { MPI_Finalize(); quit(0); }
    sink += i;
  }
  MPI_Finalize();
  return 0;
}