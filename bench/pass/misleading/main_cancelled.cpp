// words: N
// loops: as seen
// The main thread is cancelled, and its clean-up ends the process with success.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <pthread.h>
#include <unistd.h>
struct Held { int i; ~Held() { if (i < 0) { MPI_Finalize(); _exit(0); } sink += i; } };
NOINLINE static void step(int i) { if (i > 150) { pthread_cancel(pthread_self()); usleep(1); } sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
NOINLINE static void whole(int n) { Held held{-n}; run(n); held.i = 1; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  whole(std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
