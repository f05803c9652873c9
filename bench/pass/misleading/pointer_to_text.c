// words: N
// loops: recognised
// In larger runs the pointer points to a text of the program.
#include "../../../tests/pass/program.h"

struct Options { const char* size; int more; };
__attribute__((noinline)) void parse(struct Options* o, char** argv) {
  o->size = argv[1]; o->more = 3;
  if (atoi(argv[1]) > 150) o->size = "12";
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Options o;
  parse(&o, argv);
  const int n = atoi(o.size);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
