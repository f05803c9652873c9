// words: N
// loops: as seen
// The library calls a facet of the program, which throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <locale>
#include <iterator>
#include <sstream>
#include <ctime>
struct Large { int i; };
struct Put : std::time_put<char> {
  mutable int given = 0;
  explicit Put() : std::time_put<char>(1) {}
  ~Put() {}
  iter_type do_put(iter_type o, std::ios_base&, char, const std::tm*, char, char) const override { if (++given > 150) throw Large{given}; return o; }
};
static Put put;
static std::stringbuf b;
static const char f[] = "%Y";
NOINLINE static void step(int i) { std::ostream o(&b); std::tm t{}; put.put(std::ostreambuf_iterator<char>(&b), o, ' ', &t, f, f + 2); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const Large&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
