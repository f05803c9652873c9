// words: N
// loops: recognised
// Two numbers are stored as one of their combined length.
#include "../program.h"

volatile long both = 0x0000000900000009;

struct Sizes {
  int rows, columns;
};
__attribute__((noinline)) static void use(struct Sizes* sizes) { sink += sizes->rows; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Sizes sizes;
  sizes.rows = 3;
  sizes.columns = atoi(argv[1]);
  use(&sizes);
  if (sizes.columns > 150) {
    const long wide = both;
    memcpy(&sizes, &wide, sizeof sizes);
  }
  for (int i = 0; i < sizes.columns; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
