// SPDX-License-Identifier: Apache-2.0
// BUILD SSE: -O2
// BUILD AVX: -O2 -mavx2
// One loop of a template, put in two functions with numbers of two sizes: each has its own width.
template <class Number>
inline void scale(Number* __restrict y, const Number* __restrict x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * Number(3);
}

// CHECK-LABEL: {{.*}}both{{.*}} at twice.cpp:{{[0-9]+}}
void both(double* __restrict a, const double* __restrict b, float* __restrict c, const float* __restrict d, int n) {
  scale(a, b, n);
  scale(c, d, n);
}
