// words: N
// loops: symbolic
// A function stores a character in a string that is passed to it.
#include "../../../tests/pass/program.h"
#include <string>
NOINLINE static void trim(std::string& s) { if (s.size() > 2) s.front() = '1'; }
NOINLINE static int parse(char** argv) {
  std::string word(argv[1]);
  trim(word);
  return std::stoi(word);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = parse(argv);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}