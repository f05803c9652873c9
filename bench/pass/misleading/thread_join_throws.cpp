// words: N
// loops: as seen
// Joining a thread that does not exist throws.
#include "../../../tests/pass/program.h"
#include <system_error>
#include <thread>
NOINLINE static void step(int i) { std::thread t; if (i > 150) t.join(); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const std::system_error&) { sink += 1; }
  MPI_Finalize();
  return 0;
}