// words: N
// loops: recognised
// A stream reads a number of 16 bits.
#include "../program.h"

#include <sstream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  unsigned short n = static_cast<unsigned short>(std::atoi(argv[1]));
  if (n > 150) {
    std::istringstream in("12");
    in >> n;
  }
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
