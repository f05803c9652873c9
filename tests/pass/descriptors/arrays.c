// SPDX-License-Identifier: Apache-2.0
// Array accesses in loops: base, offset in bytes and its advance, and the bytes of an execution.
double grid[64][64];

// CHECK-LABEL: rows at arrays.c:{{[0-9]+}}
double rows(int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 64; ++j) s += grid[i][j] * s;
  // CHECK: array 0: grid at {{<<0, \+512>0, \+8>1|<0, \+8>1.*}} from 0 to 8, reads 8, writes 0
  return s;
}

// CHECK-LABEL: columns at arrays.c:{{[0-9]+}}
void columns(double* restrict x, long n, long m) {
  for (long j = 0; j < m; ++j)
    for (long i = 1; i < n; ++i) x[i * m + j] += x[(i - 1) * m + j] * 0.5;
  // CHECK: array 0: *arg0 at {{.*}} from 0 to 8, reads 8, writes 8
}

// CHECK-LABEL: stencil at arrays.c:{{[0-9]+}}
void stencil(double* restrict out, const double* restrict in, long n) {
  for (long i = 1; i < n; ++i) out[i] = in[i - 1] + in[i] + in[i + 1];
  // CHECK-DAG: array {{[01]}}: *arg1 at {{.*}} from {{-8 to 16|0 to 24|-16 to 8}}, reads {{8|16|24}}, writes 0
  // CHECK-DAG: array {{[01]}}: *arg0 at <8, +8>0 from 0 to 8, reads 0, writes 8
}

// CHECK-LABEL: gathered at arrays.c:{{[0-9]+}}
double gathered(const double* x, const int* at, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i) s += x[at[i]] * s;
  // CHECK-DAG: array {{[01]}}: *arg1 at <0, +4>0 from 0 to 4, reads 4, writes 0
  // CHECK-DAG: array {{[01]}}: *arg0 at ? from 0 to 8, reads 8, writes 0
  return s;
}

// CHECK-LABEL: lines at arrays.c:{{[0-9]+}}
double lines(double** x, long n, long m) {
  double s = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) s += x[i][j] * s;
  // CHECK-DAG: array {{[01]}}: *arg0 at <0, +8>0 from 0 to 8, reads 8, writes 0
  // CHECK-DAG: array {{[01]}}: ? in each round of 0 at <0, +8>1 from 0 to 8, reads 8, writes 0
  return s;
}
