// SPDX-License-Identifier: Apache-2.0
// BUILD SSE = -O2
// BUILD AVX = -O2 -mavx2
// One loop of a template, inlined in two functions with numbers of two sizes: each has its own width.
template <class Number>
inline void scale(Number* __restrict y, const Number* __restrict x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * Number(3);
}

// CHECK-LABEL: {{.*}}both{{.*}} at twice.cpp:{{[0-9]+}}
// SSE-NEXT: loop 0 at twice.cpp:7: width 2, interleave 2
// SSE-NEXT: loop 1 at twice.cpp:7: width 4, interleave 2
// AVX-NEXT: loop 0 at twice.cpp:7: width 4, interleave 4
// AVX-NEXT: loop 1 at twice.cpp:7: width 8, interleave 4
// SSE-NEXT: block 2 at twice.cpp:7: {{.*}}double_multiply 2 by 1, {{.*}}
// SSE-NEXT: block 4 at twice.cpp:7: {{.*}}double_multiply 4 by 1, {{.*}}
// AVX-NEXT: block 2 at twice.cpp:7: {{.*}}double_multiply 4 by 1, {{.*}}
// AVX-NEXT: block 4 at twice.cpp:7: {{.*}}double_multiply 8 by 1, {{.*}}
void both(double* __restrict a, const double* __restrict b, float* __restrict c, const float* __restrict d, int n) {
  scale(a, b, n);
  scale(c, d, n);
}
