// words: N
// loops: as seen
// The library copies from a buffer to one of the program, which throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <streambuf>
#include <sstream>
#include <iterator>
#include <algorithm>
struct Large { int i; };
struct Out : std::streambuf {
  int given = 0;
  int overflow(int c) override { if (given > 150) throw Large{given}; ++given; return c; }
  std::streamsize put(const char* p, std::streamsize k) { return std::streambuf::xsputn(p, k); }
};
static Out out;
NOINLINE static void step(int i) { std::istringstream in("x"); std::copy(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), std::ostreambuf_iterator<char>(&out)); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const Large&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
