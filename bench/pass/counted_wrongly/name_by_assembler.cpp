// words: N
// loops: symbolic
// A function with another name in the assembler code throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
extern "C" __attribute__((noinline, used)) void real_step(int i) { if (i > 150) throw 3L; sink += i; }
asm(".globl other_step\n.set other_step, real_step");
extern "C" void other_step(int);
NOINLINE static void step(int i) { other_step(i); sink += 1; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}
