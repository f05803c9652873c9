// words: N
// loops: recognised
// Sixteen characters are scanned over a structure.
#include "../../../tests/pass/program.h"
struct S { char tag[12]; int n; } ;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct S s;
  s.n = atoi(argv[1]);
  if (s.n > 150) sscanf("abcdefghijkl\1\1\1\1", "%16c", (char*)&s);
  sink += s.tag[0];
  for (int i = 0; i < (s.n & 4095); ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}