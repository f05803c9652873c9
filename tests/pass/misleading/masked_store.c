// words: N
// loops: recognised
// A processor instruction stores the value.
#include "../program.h"
#include <emmintrin.h>
__attribute__((noinline)) void touch(int* p) { sink += *p; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int s[4] = {atoi(argv[1]), 7, 8, 9};
  touch(s);
  if (s[0] > 150) _mm_maskmoveu_si128(_mm_set1_epi32(12), _mm_set_epi32(0, 0, 0, -1), (char*)s);
  sink += s[1];
  for (int i = 0; i < s[0]; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
