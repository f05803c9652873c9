// words: N
// loops: as seen
// The exception passes through a function that destroys its objects.
#include "../program.h"
#include <stdexcept>
#include <vector>
NOINLINE static void check(int i) { if (i > 150) throw std::runtime_error("large"); sink += i; }
NOINLINE static void step(int i) { std::vector<double> held(i + 1, 1.0); check(i); sink += held[i]; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
