// words: N
// loops: recognised
// A jump out of a callback leaves the loop early.
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>

volatile double sink;
static jmp_buf back;
static int size;

static int compare(const void* a, const void* b) {
  const int left = *(const int*)a, right = *(const int*)b;
  if (left + right > 300) longjmp(back, 1);
  return left - right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = atoi(argv[1]);
  int pair[2] = {size, size - 1};
  if (!setjmp(back)) {
    for (int i = 0; i < size; ++i) {  // rounds
      qsort(pair, 2, sizeof(int), compare);
      sink += i;
    }
  }
  MPI_Finalize();
  return 0;
}
