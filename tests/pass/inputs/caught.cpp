// words: N
// loops: symbolic
// A handler in the program certainly catches the exception: by type, by base, or by catching all.
#include "../program.h"
#include <stdexcept>
#include <vector>
struct Odd : std::runtime_error { using std::runtime_error::runtime_error; };
NOINLINE static void check(int i) { if (i % 7 == 3) throw Odd("odd"); sink += i; }
NOINLINE static void own(int i) { try { check(i); } catch (const Odd&) { sink += 2; } }
NOINLINE static void base(int i) { try { check(i); } catch (const std::exception&) { sink += 3; } }
NOINLINE static void all(int i) { try { check(i); } catch (...) { sink += 4; } }
NOINLINE static void run(int n) {
  std::vector<double> held(static_cast<std::size_t>(n), 1.0);
  own(n);
  for (int i = 0; i < n; ++i) own(i);  // rounds
  base(n);
  for (int i = 1; i < n; ++i) base(i);  // rounds
  MPI_Barrier(MPI_COMM_WORLD);
  all(n);
  for (int i = 2; i < n; ++i) all(i);  // rounds
  sink += held[0];
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
