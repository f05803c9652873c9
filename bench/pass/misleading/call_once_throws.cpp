// words: N
// loops: as seen
// The function passed to call_once throws.
#include "../../../tests/pass/program.h"
#include <mutex>
NOINLINE static void step(int i) { std::once_flag flag; std::call_once(flag, [&] { if (i > 150) throw i; }); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (int) { sink += 1; }
  MPI_Finalize();
  return 0;
}