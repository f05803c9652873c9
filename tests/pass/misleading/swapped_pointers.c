// words: N
// loops: recognised
// Two pointers are swapped in larger runs.
#include "../program.h"

struct P { int *x, *y; };
__attribute__((noinline)) void swap(struct P* p, int n) { if (n > 150) { int* t = p->x; p->x = p->y; p->y = t; } sink += *p->y; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int a = n, b = n / 2;
  struct P p = {&a, &b};
  swap(&p, n);
  for (int i = 0; i < *p.x; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
