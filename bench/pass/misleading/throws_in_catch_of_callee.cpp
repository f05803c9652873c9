// words: N
// loops: as seen
// An outer caller catches the type by a reference to its base, after a clean-up in between.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct E1 : std::runtime_error { using std::runtime_error::runtime_error; };
NOINLINE static void check(int i) { if (i > 150) throw E1("q"); sink += i; }
NOINLINE static void step(int i) { std::string s(i, 'x'); try { check(i); } catch (const std::logic_error&) { sink += 5; } sink += s.size(); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; } MPI_Finalize(); return 0; }
