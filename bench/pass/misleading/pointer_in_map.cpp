// words: N
// loops: recognised
// A map of options contains the addresses of sizes.
#include "../../../tests/pass/program.h"
#include <map>
#include <string>
static std::map<std::string, int*> options;
NOINLINE static void apply(const std::string& name, int value) { const auto at = options.find(name); if (at != options.end()) *at->second = value; }
NOINLINE static void declare(const char* name, int* at) { options[name] = at; }
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