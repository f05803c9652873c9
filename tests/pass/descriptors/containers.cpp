// SPDX-License-Identifier: Apache-2.0
// Containers, templates, and functions within others. The content of a vector or a map is not derived yet.
#include <cstddef>
#include <map>
#include <vector>

// CHECK-LABEL: _Z8by_indexRKSt6vectorIdSaIdEE at containers.cpp:{{[0-9]+}}
double by_index(const std::vector<double>& v) {
  double s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+1]]: rounds = (umax(1, ((ptrtoint? - ptrtoint?) s>> 3)) - 1), variable from 0 to umax(((ptrtoint? - ptrtoint?) s>> 3), 1) step 1, whole
  for (std::size_t i = 0; i < v.size(); ++i) s += v[i];
  return s;
}

// CHECK-LABEL: _Z11by_iteratorRKSt6vectorIdSaIdEE at containers.cpp:{{[0-9]+}}
double by_iterator(const std::vector<double>& v) {
  double s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+1]]: rounds = ?, whole
  for (double each : v) s += each;
  return s;
}

// CHECK-LABEL: _Z6of_mapRKSt3mapIidSt4lessIiESaISt4pairIKidEEE at containers.cpp:{{[0-9]+}}
double of_map(const std::map<int, double>& m) {
  double s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+2]]: rounds = ?
  // CHECK-NEXT: call _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(somewhere) at stl_tree.h:{{[0-9]+}}
  for (const auto& [key, value] : m) s += value;
  return s;
}

// CHECK-LABEL: _Z3sumIdLi1EET_PKS0_i at containers.cpp:{{[0-9]+}}
template <class Number, int Step>
Number sum(const Number* x, int n) {
  Number s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+1]]: rounds = (zext64(arg1) - 1), variable from 0 to sext64(arg1) step 1, whole
  for (int i = 0; i < n; i += Step) s += x[i];
  return s;
}
// CHECK-LABEL: _Z3sumIlLi5EET_PKS0_i at containers.cpp:{{[0-9]+}}
// CHECK-NEXT: loop 0 at containers.cpp:[[@LINE-4]]: rounds = ((zext64(arg1) - 1) u/ 5), variable from 0 to sext64(arg1) step 5, whole
template double sum<double, 1>(const double*, int);
template long sum<long, 5>(const long*, int);

static inline int square(int n) { return n * n; }
static double part(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < square(n); ++i) s += x[i];
  return s;
}
// CHECK-LABEL: _Z7inlinedPKdi at containers.cpp:{{[0-9]+}}
double inlined(const double* x, int n) { return part(x, n + 2); }
// CHECK-NEXT: loop 0 at containers.cpp:[[@LINE-5]]: rounds = (smax(1, zext64(((arg1 + 2) * (arg1 + 2)))) - 1), variable from 0 to zext64(umax(((arg1 + 2) * (arg1 + 2)), 1)) step 1, whole
// CHECK-NEXT: if ((arg1 + 2) == 0)

struct Field {
  int rows, columns;
  std::vector<double> cells;
  double total() const;
};
// CHECK-LABEL: _ZNK5Field5totalEv at containers.cpp:{{[0-9]+}}
double Field::total() const {
  double s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+1]]: rounds = (zext64(load *arg0) - 1), variable from 0 to sext64(load *arg0) step 1, whole
  for (int i = 0; i < rows; ++i)
    // CHECK-NEXT: loop 1 in 0 at containers.cpp:[[@LINE+3]]: rounds = (zext64((load *arg0+4 - 1)) - 2), variable from 1 to sext64((load *arg0+4 - 1)) step 1, whole
    // CHECK-NEXT: if (load *arg0 s> 0)
    // CHECK-NEXT: if (load *arg0+4 s> 2)
    for (int j = 1; j < columns - 1; ++j) s += cells[i * columns + j];
  return s;
}

struct Shape {
  virtual double area() const = 0;
};
// CHECK-LABEL: _Z5areasPKP5Shapei at containers.cpp:{{[0-9]+}}
double areas(Shape* const* shapes, int n) {
  double s = 0;
  // CHECK-NEXT: loop 0 at containers.cpp:[[@LINE+2]]: rounds = (zext64(arg1) - 1), variable from 0 to sext64(arg1) step 1
  // CHECK: call indirect(*(somewhere)) at containers.cpp:[[@LINE+1]]
  for (int i = 0; i < n; ++i) s += shapes[i]->area();
  return s;
}
