// words: N
// loops: symbolic
// A class with a table of registered options.
#include "../../../tests/pass/program.h"
#include <vector>
struct Option { const char* name; int* at; };
static std::vector<Option> options;
NOINLINE static void declare(const char* name, int* at) { options.push_back({name, at}); }
NOINLINE static void apply(const char* name, int value) { for (const Option& o : options) if (!std::strcmp(o.name, name)) *o.at = value; }
NOINLINE static int parse(char** argv) {
  int n = std::atoi(argv[1]), m = 3;
  declare("n", &n);
  declare("m", &m);
  apply(n > 150 ? "n" : "m", 12);
  sink += m;
  return n;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = parse(argv);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}