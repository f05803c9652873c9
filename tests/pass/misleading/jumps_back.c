// words: N
// loops: symbolic
// A jump leads back to before the loop.
#include "../program.h"
#include <setjmp.h>

jmp_buf back;
__attribute__((noinline)) void again(void) { longjmp(back, 1); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  volatile int done = 0;
  setjmp(back);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  if (n > 150 && !done) {
    done = 1;
    again();
  }
  MPI_Finalize();
  return 0;
}
