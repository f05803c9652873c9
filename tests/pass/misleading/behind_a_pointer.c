// words: N
// loops: recognised
// A structure is passed by address; its pointer points to the size.
#include "../program.h"

struct Ctx { int* n; };
static void limit(struct Ctx* c) { if (*c->n > 150) *c->n = 150; }
void (*volatile chosen)(struct Ctx*) = limit;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  struct Ctx c = {&n};
  chosen(&c);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
