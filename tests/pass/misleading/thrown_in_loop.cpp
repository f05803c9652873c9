// words: N
// loops: as seen
// A call in the loop throws at large sizes, and its caller catches.
#include "../program.h"

__attribute__((noinline)) static void step(int i) {
  if (i > 150) throw i;
  sink = i;
}
__attribute__((noinline)) static void run(int n) {
  for (int i = 0; i < n; ++i) step(i);  // rounds
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(std::atoi(argv[1]));
  } catch (int at) {
    sink = at;
  }
  MPI_Finalize();
  return 0;
}
