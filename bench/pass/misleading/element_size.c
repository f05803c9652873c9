// words: N
// loops: recognised
// One element gets the number of processes; in larger runs another one is used.
#include "../../../tests/pass/program.h"
struct Team { int rank, size; double load; };
NOINLINE static void ask(struct Team* t, int k) { MPI_Comm_size(MPI_COMM_WORLD, &t[k].size); }
NOINLINE static void work(struct Team* t, int k) { for (int i = 0; i < t[k].size; ++i) sink += i; }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Team* t = calloc(4, sizeof *t);
  ask(t, argc);
  work(t, atoi(argv[1]) > 150 ? 1 : argc);
  free(t);
  MPI_Finalize();
  return 0;
}