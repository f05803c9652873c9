// words: N
// loops: recognised
// A pointer is copied as bytes.
#include "../../../tests/pass/program.h"

void* where;
volatile size_t far = 8;
__attribute__((noinline)) void touch(int** p, int** q) { where = p; sink += **p + **q; }
__attribute__((noinline)) void work(int** p) {
  for (int i = 0; i < **p; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int a = n, b = n / 2;
  int* p = &a; int* q = &b;
  touch(&p, &q);
  if (n > 150) memcpy(where, &q, far);
  work(&p);
  MPI_Finalize();
  return 0;
}
