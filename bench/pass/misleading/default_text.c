// words: N
// loops: recognised
// A text is the default; small runs use a word instead.
#include "../../../tests/pass/program.h"

struct Options { const char* size; int more; };
__attribute__((noinline)) void defaults(struct Options* o) { o->size = "12"; o->more = 3; }
__attribute__((noinline)) void parse(struct Options* o, char** argv) { if (atoi(argv[1]) <= 150) o->size = argv[1]; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Options o;
  defaults(&o);
  parse(&o, argv);
  const int n = atoi(o.size);
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
