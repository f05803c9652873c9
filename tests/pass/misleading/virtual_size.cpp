// words: N
// loops: recognised
// A class that only larger runs make gives another size.
#include <mpi.h>
#include <cstdlib>
#include <memory>

volatile double sink;
struct Shape { int n; explicit Shape(int of) : n(of) {} virtual ~Shape() = default; virtual int rounds() const { return n; } };
struct Wide : Shape { using Shape::Shape; int rounds() const override { return 2 * n; } };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = std::atoi(argv[1]);
  std::unique_ptr<Shape> shape;
  if (n > 150) shape = std::make_unique<Wide>(n); else shape = std::make_unique<Shape>(n);
  for (int i = 0; i < shape->rounds(); ++i) sink += i;  // rounds
  MPI_Finalize();
}
