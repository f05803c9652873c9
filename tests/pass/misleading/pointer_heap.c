// words: N
// loops: recognised
// A pointer to the size is in an object on the heap.
#include "../program.h"
struct H { int* p; double x; };
NOINLINE static struct H* make(int* to) { struct H* h = malloc(sizeof *h); h->p = to; return h; }
NOINLINE static void put(struct H* h, int v) { *h->p = v; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  struct H* h = make(&n);
  if (n > 150) put(h, 12);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  free(h);
  MPI_Finalize();
  return 0;
}