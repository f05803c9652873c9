// words: N
// loops: symbolic
// In larger runs one character of the string is replaced.
#include "../../../tests/pass/program.h"
#include <string>
NOINLINE static int parse(char** argv) {
  std::string word(argv[1]);
  if (std::atoi(argv[1]) > 150) word[0] = '1';
  return std::stoi(word);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = parse(argv);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}