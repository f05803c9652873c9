// words: N
// loops: as seen
// A string is constructed from a null pointer.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
NOINLINE static void step(int i) { const char* t = i > 150 ? nullptr : "abc"; std::string s(t); sink += s.size(); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const std::logic_error&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
