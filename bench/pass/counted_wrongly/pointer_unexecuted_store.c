// words: N
// loops: symbolic
// A pointer in a structure points to the size in larger runs; all runs store through it.
#include "../../../tests/pass/program.h"
struct H { int* p; double x; };
NOINLINE static void set(struct H* h, int* to) { h->p = to; }
NOINLINE static void put(struct H* h) { *h->p = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 3;
  struct H h;
  set(&h, &m);
  if (n > 150) set(&h, &n);
  put(&h);
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}