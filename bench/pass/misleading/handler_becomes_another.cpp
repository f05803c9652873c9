// words: N
// loops: as seen
// The only handler executes another program.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <unistd.h>
#include <fcntl.h>
NOINLINE static void step(int i) { if (i > 150) throw i; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (int) { MPI_Finalize(); for (;;) { char t[] = "true"; char* words[] = {t, nullptr}; execveat(AT_FDCWD, "/bin/true", words, environ, 0); } }
  MPI_Finalize();
  return 0;
}
