// words: N
// loops: as seen
// A handler of MPI errors throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
static void failed(MPI_Comm*, int* e, ...) { throw long(*e); }
NOINLINE static void step(int i) { if (i > 150) MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler h; MPI_Comm_create_errhandler(failed, &h); MPI_Comm_set_errhandler(MPI_COMM_SELF, h);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}
