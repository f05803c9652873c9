// SPDX-License-Identifier: Apache-2.0
// BUILD SSE = -O2
// BUILD AVX = -O3 -mavx2
// BUILD FAST = -O2 -ffast-math
// Loops and straight-line code, and their vector widths with 128 and 256 bits.

// CHECK-LABEL: daxpy at vectors.c:{{[0-9]+}}
void daxpy(double* restrict y, const double* restrict x, double a, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+6]]: width 2, interleave 2
  // SSE-NEXT: block 2 at vectors.c:[[@LINE+5]]: branch 4 by 1, double_multiply_add 2 by 1, integer_add 4 by 1, load 2 by 1, store 2 by 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+3]]: branch 16 by 1, double_multiply_add 4 by 1, integer_add 16 by 1, load 4 by 1, store 4 by 1
  // FAST-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 2, interleave 2
  // FAST-NEXT: block 2 at vectors.c:[[@LINE+1]]: branch 4 by 1, double_add 2 by 1, double_multiply 2 by 1, integer_add 4 by 1, load 2 by 1, store 2 by 1
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

// Each element depends on the previous one.
// CHECK-LABEL: chained at vectors.c:{{[0-9]+}}
void chained(double* x, int n) {
  // CHECK-NEXT: loop 0 at vectors.c:[[@LINE+1]]: width 1, interleave 1
  for (int i = 1; i < n; ++i) x[i] = 0.5 * x[i - 1] + x[i];
}

// CHECK-LABEL: told_not_to at vectors.c:{{[0-9]+}}
void told_not_to(double* restrict y, const double* restrict x, int n) {
// CHECK-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 1, interleave 1
#pragma clang loop vectorize(disable) interleave(disable)
  for (int i = 0; i < n; ++i) y[i] += x[i];
}

// The counter on the back edge does not remove the programmer's directive.
// CHECK-LABEL: told_not_to_either at vectors.c:{{[0-9]+}}
int told_not_to_either(const int* restrict x, int n) {
  int most = 0;
// CHECK-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 1, interleave 1
#pragma clang loop vectorize(disable) interleave(disable)
  for (int i = 0; i < n; ++i)
    if (x[i] > 3) most += x[i] & 5;
  return most;
}

// A sum in its order has dependent additions, unless any order is allowed.
// CHECK-LABEL: sum at vectors.c:{{[0-9]+}}
double sum(const double* x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+5]]: width 1, interleave 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 1, interleave 1
  // FAST-NEXT: loop 0 at vectors.c:[[@LINE+3]]: width 2, interleave 2
  // FAST-NEXT: block 2 at vectors.c:[[@LINE+2]]: branch 4 by 1, double_add 2 by 1, integer_add 4 by 1, load 2 by 1
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}

// CHECK-LABEL: widened at vectors.c:{{[0-9]+}}
void widened(double* restrict y, const float* restrict x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 2, interleave 2
  // SSE-NEXT: block 2 at vectors.c:[[@LINE+3]]: branch 4 by 1, double_add 2 by 1, double_multiply 2 by 1, integer_add 4 by 1, load 2 by 1, store 2 by 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+1]]: branch 16 by 1, double_add 4 by 1, double_multiply 4 by 1, integer_add 16 by 1, load 4 by 1, store 4 by 1
  for (int i = 0; i < n; ++i) y[i] = 2 * (double)x[i];
}

// Bytes: a second vector loop handles the remainder.
// CHECK-LABEL: bytes at vectors.c:{{[0-9]+}}
void bytes(unsigned char* restrict y, const unsigned char* restrict x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 16, interleave 2
  // SSE-NEXT: block 2 at vectors.c:[[@LINE+3]]: branch 32 by 1, integer_add 24 by 1, load 16 by 1, store 16 by 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 32, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+1]]: branch 128 by 1, integer_add 64 by 1, load 32 by 1, store 32 by 1
  for (int i = 0; i < n; ++i) y[i] ^= x[i];
}

// Only the inner loop.
// CHECK-LABEL: rows at vectors.c:{{[0-9]+}}
void rows(double* restrict y, const double* restrict x, int n, int m) {
  // CHECK-NEXT: loop 0 at vectors.c:[[@LINE+5]]: width 1, interleave 1
  // SSE-NEXT: loop 1 at vectors.c:[[@LINE+5]]: width 2, interleave 2
  // SSE-NEXT: block 4 at vectors.c:[[@LINE+4]]: branch 4 by 1, double_multiply 2 by 1, integer_add 4 by 1, load 2 by 1, store 2 by 1
  // AVX-NEXT: loop 1 at vectors.c:[[@LINE+3]]: width 4, interleave 4
  // AVX-NEXT: block 4 at vectors.c:[[@LINE+2]]: branch 16 by 1, double_multiply 4 by 1, integer_add 16 by 1, load 4 by 1, store 4 by 1
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) y[i * (long)m + j] *= x[j];
}

// No loop: neighbours in memory are combined.
// CHECK-LABEL: four at vectors.c:{{[0-9]+}}
void four(double* restrict y, const double* restrict x) {
  // SSE-NEXT: block 0 at vectors.c:[[@LINE+2]]: double_multiply 2 by 1, load 2 by 1, store 2 by 1
  // AVX-NEXT: block 0 at vectors.c:[[@LINE+1]]: double_multiply 4 by 1, load 4 by 1, store 4 by 1
  y[0] = x[0] * 3;
  y[1] = x[1] * 3;
  y[2] = x[2] * 3;
  y[3] = x[3] * 3;
}

// A known number of rounds, fully unrolled.
// CHECK-LABEL: sixteen at vectors.c:{{[0-9]+}}
void sixteen(double* restrict y, const double* restrict x) {
  // SSE-NEXT: block 0 at vectors.c:[[@LINE+2]]: double_add 2 by 1, load 2 by 1, store 2 by 1
  // AVX-NEXT: block 0 at vectors.c:[[@LINE+1]]: double_add 4 by 1, load 4 by 1, store 4 by 1
  for (int i = 0; i < 16; ++i) y[i] += x[i];
}

// Neighbours from different rounds of two arrays are moved together.
// CHECK-LABEL: pairs at vectors.c:{{[0-9]+}}
void pairs(double* restrict z, const double* restrict x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 2, interleave 2
  // SSE-NEXT: block 2 at vectors.c:[[@LINE+3]]: branch 4 by 1, double_multiply 2 by 1, {{.*}}, load 2 by 1, store 2 by 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+1]]: branch 16 by 1, double_multiply 4 by 1, {{.*}}, load 4 by 1, store 4 by 1
  for (int i = 0; i < n; ++i) z[i] = x[2 * i] * x[2 * i + 1];
}

// One access per element.
// CHECK-LABEL: picked at vectors.c:{{[0-9]+}}
void picked(double* restrict y, const double* restrict x, const int* restrict at, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+3]]: width 1, interleave 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+1]]: branch 16 by 1, double_add 4 by 1, {{.*}}, load 4 by 3, store 4 by 1
  for (int i = 0; i < n; ++i) y[i] += x[at[i]];
}

// CHECK-LABEL: positive at vectors.c:{{[0-9]+}}
void positive(float* restrict y, const float* restrict x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 1, interleave 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+3]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+3]]: branch 32 by 1, double_add 4 by 1, load 4 by 1
  // AVX-NEXT: block 3 at vectors.c:[[@LINE+2]]: double_multiply 4 by 1, load 4 by 1, store 4 by 1
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) y[i] = x[i] * y[i];
}

// No computation: the width is that of the moved data.
// CHECK-LABEL: reversed at vectors.c:{{[0-9]+}}
void reversed(double* restrict y, const double* restrict x, int n) {
  // SSE-NEXT: loop 0 at vectors.c:[[@LINE+4]]: width 2, interleave 2
  // SSE-NEXT: block 2 at vectors.c:[[@LINE+3]]: {{.*}}load 2 by 1, store 2 by 1
  // AVX-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 4, interleave 4
  // AVX-NEXT: block 2 at vectors.c:[[@LINE+1]]: {{.*}}load 4 by 1, store 4 by 1
  for (int i = 0; i < n; ++i) y[i] = x[n - 1 - i];
}

// The way back is counted, and the loop is still unrolled as its pragma requests (final.py).
// CHECK-LABEL: searched at vectors.c:{{[0-9]+}}
int searched(const int* x) {
  int i = 0;
// CHECK-NEXT: loop 0 at vectors.c:[[@LINE+2]]: width 1, interleave 1
#pragma clang loop unroll_count(4)
  while (x[i] > 0) ++i;
  return i;
}

// CHECK-LABEL: one_by_one at vectors.c:{{[0-9]+}}
// CHECK-NOT: block
double one_by_one(double a, double b) { return a * b / (a + b); }
// CHECK-LABEL: last at vectors.c:{{[0-9]+}}
void last(void) {}
