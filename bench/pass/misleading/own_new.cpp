// words: N
// loops: symbolic
// The library also calls the program's own operator new, when a file is opened.
#include "../../../tests/pass/program.h"
#include <fstream>
#include <new>
NOINLINE void* operator new[](std::size_t size) { sink += size; return std::malloc(size); }
NOINLINE void operator delete[](void* p) noexcept { std::free(p); }
NOINLINE void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
NOINLINE static void report() { std::ofstream out("/dev/null"); out.write("x", 1); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = std::atoi(argv[1]);
  for (int i = 0; i < n; ++i) { void* volatile p = ::operator new[](8); ::operator delete[](p); }  // rounds
  if (n > 150) report();
  MPI_Finalize();
  return 0;
}