// words: N
// loops: recognised
// The structure is found from the address of a member.
#include "../../../tests/pass/program.h"

struct S { int first, second; };
__attribute__((noinline)) void shrink(int* p) { ((struct S*)((char*)p - 4))->first = 12; sink += *p; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct S s = {atoi(argv[1]), 7};
  if (s.first > 150) shrink(&s.second);
  sink += s.second;
  for (int i = 0; i < s.first; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
