// words: N
// loops: recognised
// A structure is copied, and with it the pointer to the size.
#include "../../../tests/pass/program.h"

struct Ctx { int* n; double more[5]; };
__attribute__((noinline)) void touch(struct Ctx* c) { sink += *c->n + c->more[1]; }
__attribute__((noinline)) void work(struct Ctx* c) {
  for (int i = 0; i < *c->n; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int x = n, y = n / 2;
  struct Ctx a = {&x, {1}}, b = {&y, {2}};
  touch(&b);
  if (n > 150) a = b;
  work(&a);
  MPI_Finalize();
  return 0;
}
