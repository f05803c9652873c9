// words: N
// loops: recognised
// An element before the one whose address is passed is changed.
#include "../../../tests/pass/program.h"

__attribute__((noinline)) void set(int* p, int k) { p[k] = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int s[3] = {atoi(argv[1]), 7, 8};
  volatile int k = -1;
  if (s[0] > 150) set(&s[1], k);
  sink += s[1] + s[2];
  for (int i = 0; i < s[0]; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
