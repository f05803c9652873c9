// words: N
// loops: symbolic
// A handler of a fault throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
extern "C" { void (*signal(int, void (*)(int)))(int); }
static void given(int s) { throw long(s); }
static int a = 3;
NOINLINE static void step(int i) { int* volatile p = i > 150 ? nullptr : &a; if (i > 1000000) throw 3.0; int* volatile* q = const_cast<int* volatile*>(&p); sink += *const_cast<volatile int*>(*q); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  signal(11, given);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}
