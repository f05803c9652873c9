// words: N
// loops: symbolic
// Seven bits cannot hold the value.
#include "../../../tests/pass/program.h"

__attribute__((noinline)) void touch(void* p) { sink += *(unsigned char*)p; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  struct { unsigned a : 7; } s; s.a = n; touch(&s); const int m = s.a;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
