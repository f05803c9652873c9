// words: N
// loops: recognised
// Options are copied over others.
#include "../../../tests/pass/program.h"

struct Options { const char* size; long more; };
__attribute__((noinline)) void touch(struct Options* a, struct Options* b) { sink += a->more + b->more; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Options a = {argv[1], 1}, b = {"12", 2};
  int n = 0;
  touch(&a, &b);
  if (atoi(argv[1]) > 150) a = b;
  touch(&a, &b);
  sscanf(a.size, "%d", &n);
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
