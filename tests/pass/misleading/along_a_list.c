// words: N
// loops: symbolic
// A pointer follows a list in an array of 5,000 elements, which the analysis does not follow one by one.
#include "../program.h"

struct Item {
  struct Item* next;
  long value;
} items[5000], *current;

__attribute__((noinline)) void extend(void) {
  current->next = current + 1;
  current = current->next;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  current = items;
  for (int i = 0; i < n; ++i) {  // rounds
    extend();
    sink += i;
  }
  MPI_Finalize();
  return 0;
}
