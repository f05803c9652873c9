// words: N
// loops: recognised
// The size is changed through an unnamed argument.
#include "../../../tests/pass/program.h"
#include <stdarg.h>
__attribute__((noinline)) void set(int on, ...) { va_list a; va_start(a, on); int* p = va_arg(a, int*); if (on) *p = 12; va_end(a); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  set(n > 150, &n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
