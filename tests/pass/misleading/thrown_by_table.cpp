// words: N
// loops: as seen
// A comparison function from a table throws through qsort.
#include "../program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
static int compare(const void* x, const void* y) { const int a = *static_cast<const int*>(x), b = *static_cast<const int*>(y); if (a > 150 || b > 150) throw 3L; return a - b; }
static int other(const void* x, const void* y) { return compare(y, x); }
using Compare = int(const void*, const void*);
static Compare* table[] = {compare, other};
static volatile int which = 1;
NOINLINE static void step(int i) { int a[3] = {i, 2, 1}; std::qsort(a, 3, 4, table[which]); sink += a[0]; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}
