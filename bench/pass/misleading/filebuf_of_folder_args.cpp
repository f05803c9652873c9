// words: N
// loops: as seen
// A buffer of the library throws, by a virtual function, when it reads a folder.
// Its callers have more arguments than any call by a pointer.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <fstream>
static std::filebuf file, folder;
NOINLINE static void step(int i, long a, long b, long c, long d) { if (a + b + c + d < 0) sink += 1; std::streambuf* f = i > 150 ? &folder : &file; sink += f->sgetc(); }
static int size;
NOINLINE static void run(long a, long b, long c, long d, long e) { if (a * b + c * d + e > 0) for (int i = 0; i < 50; ++i) step(size > 150 && i > 20 ? i + 140 : i, a, b, c, d + e); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = std::atoi(argv[1]);
  file.open("/dev/zero", std::ios::in); folder.open("/", std::ios::in);
  try { run(argc, argc + 1, argc * 2, argc - 1, argc * 3); } catch (const std::ios_base::failure&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
