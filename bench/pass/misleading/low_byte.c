// words: N
// loops: symbolic
// A byte of the size is read through a pointer.
#include "../../../tests/pass/program.h"

struct S { int n, m; };
__attribute__((noinline)) void work(struct S* s) { const int k = *(unsigned char*)&s->n;
  for (int i = 0; i < k; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct S s = {2 * atoi(argv[1]), 3};
  work(&s);
  MPI_Finalize();
  return 0;
}
