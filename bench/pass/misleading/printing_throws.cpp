// words: N
// loops: as seen
// A function that prints its own character throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <printf.h>
static int print(FILE*, const printf_info*, const void* const* a) { if (**static_cast<int* const*>(a[0]) > 150) throw 3L; return 0; }
static int arguments(const printf_info*, size_t n, int* t, int* size) { if (n > 0) { t[0] = PA_POINTER; size[0] = sizeof(void*); } return 1; }
static FILE* f;
NOINLINE static void step(int i) { if (i > 1000000) throw 3.0; std::fprintf(f, "%W", &i); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  f = std::fopen("/dev/null", "w"); register_printf_specifier('W', print, arguments);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}
