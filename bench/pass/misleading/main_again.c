// words: N
// loops: recognised
// main calls itself.
#include "../../../tests/pass/program.h"

int level;
__attribute__((noinline)) void work(int n) {
  for (int i = 0; i < n; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  if (!level) MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  if (n > 150 && argc < 3) { char* words[] = {argv[0], "12", "x", NULL}; level = 1; main(3, words); level = 0; }
  work(n);
  if (level) return 0;
  MPI_Finalize();
  return 0;
}
