// words: N
// loops: recognised
// A function that is called through a pointer may store through its argument.
#include "../program.h"

static void limit(int* size) {
  if (*size > 150) *size = 150;
}
void (*volatile chosen)(int*) = limit;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  chosen(&n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
