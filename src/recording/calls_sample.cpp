// SPDX-License-Identifier: Apache-2.0
// A library whose classes and calls are known (program_calls_test.cpp quotes its lines).
#include <algorithm>
#include <cstdio>
#include <vector>

namespace sample {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

class Square : public Shape {
 public:
  explicit Square(double side);
  double area() const override;
  double side() const { return side_; }

 private:
  double side_;
};

[[gnu::noinline]] void print(double number) {
  std::printf("%g\n", number);
}

[[gnu::noinline]] static double doubled(double number) {
  print(number);
  return 2 * number;
}

inline double cubed(double number) {
  return doubled(number) * number * number;
}

Square::Square(double side) : side_(doubled(side)) {}

double Square::area() const {
  return side() * side();
}

double volume(const Square& square) {
  return cubed(square.side());
}

double total(const std::vector<const Shape*>& shapes) {
  double sum = 0;
  std::for_each(shapes.begin(), shapes.end(), [&](const Shape* shape) { sum += shape->area(); });
  print(sum);
  print(2 * sum);
  return sum;
}

}  // namespace sample
