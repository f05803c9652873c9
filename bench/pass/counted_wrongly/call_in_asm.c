// words: N
// loops: symbolic
// Assembly calls the function.
#include "../../../tests/pass/program.h"
__attribute__((noinline, used)) void work(void) { sink += 1; }
__asm__(".text\n.globl again\nagain:\n  jmp work\n");
void again(void);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) work();  // rounds
  if (n > 150) again();
  MPI_Finalize();
  return 0;
}