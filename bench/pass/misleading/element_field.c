// words: N
// loops: recognised
// One element of several is scanned into; in larger runs another one is used.
#include "../../../tests/pass/program.h"
struct Config { int n, more; double x[4]; };
static struct Config all[3] = {{12, 3, {1}}, {13, 4, {2}}, {14, 5, {3}}};
NOINLINE static void ask(struct Config* c, int k, char** argv) { sscanf(argv[1], "%d", &c[k].n); }
NOINLINE static void work(struct Config* c, int k) { for (int i = 0; i < c[k].n; ++i) sink += i; }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Config* volatile c = all;
  ask(c, argc, argv);
  work(c, atoi(argv[1]) > 150 ? 1 : argc);
  MPI_Finalize();
  return 0;
}