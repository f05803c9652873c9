// words: N
// loops: as seen
// A stream rethrows the exception of the program's buffer.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <ostream>
struct Large { int i; };
struct Out : std::streambuf {
  int given = 0;
  int overflow(int c) override { if (given > 150) throw Large{given}; ++given; return c; }
  std::streamsize put(const char* p, std::streamsize k) { return std::streambuf::xsputn(p, k); }
};
static Out out;
static std::ostream os(&out);
NOINLINE static void step(int i) { os << 'x'; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  os.exceptions(std::ios::badbit);
  try { run(std::atoi(argv[1])); } catch (const Large&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
