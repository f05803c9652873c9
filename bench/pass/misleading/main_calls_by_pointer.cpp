// words: N
// loops: as seen
// main itself calls a throwing function by a pointer, and continues with a part of the rest.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <bits/functexcept.h>
static void (*volatile refuse)(const char*) = &std::__throw_out_of_range;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = std::atoi(argv[1]);
  try {
    for (int i = 0; i < 50; ++i) { if (n > 150 && i == 20) refuse("x"); sink += i; }  // rounds
    for (int i = 0; i < 60; ++i) sink += i;  // rounds
  } catch (const std::out_of_range&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
