// words: N
// loops: recognised
// An element is overwritten as one object.
#include "../program.h"

struct Part {
  int n;
  double more[5];
} other = {12, {1, 2, 3}};
struct Part* volatile from = &other;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  volatile int which = 0;
  struct Part parts[2];
  parts[0].n = atoi(argv[1]);
  parts[1].n = 3;
  if (parts[0].n > 150) parts[which] = *from;
  sink += parts[which].n;
  for (int i = 0; i < parts[0].n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
