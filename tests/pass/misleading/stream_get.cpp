// words: N
// loops: recognised
// A character of the stream is read first.
#include "../program.h"
#include <sstream>
NOINLINE static int parse(char** argv) {
  std::string word(argv[1]);
  std::istringstream in(word);
  char c = 0;
  if (std::atoi(argv[1]) > 150) in.get(c);
  int n;
  in >> n;
  return n;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = parse(argv);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}