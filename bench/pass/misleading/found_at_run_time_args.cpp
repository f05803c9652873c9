// words: N
// loops: as seen
// A library function that only throws is found at run time.
// Its callers have more arguments than any call by a pointer.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <dlfcn.h>
static void (*refuse)(const char*);
NOINLINE static void step(int i, long a, long b, long c, long d) { if (a + b + c + d < 0) sink += 1; if (i > 150) refuse("x"); sink += i; }
static int size;
NOINLINE static void run(long a, long b, long c, long d, long e) { if (a * b + c * d + e > 0) for (int i = 0; i < 50; ++i) step(size > 150 && i > 20 ? i + 140 : i, a, b, c, d + e); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = std::atoi(argv[1]);
  refuse = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "_ZSt20__throw_out_of_rangePKc"));
  try { run(argc, argc + 1, argc * 2, argc - 1, argc * 3); } catch (const std::out_of_range&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
