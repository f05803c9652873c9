// words: N
// loops: recognised
// A global has a default and is read from a stream in small runs only.
#include "../../../tests/pass/program.h"
#include <sstream>
static int n = 12;
NOINLINE static void parse(char** argv) {
  std::string word(argv[1]);
  std::istringstream in(word);
  if (std::atoi(argv[1]) < 150) in >> n;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  parse(argv);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}