// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds follow from their bounds before they begin. rounds: the body's executions minus one.
double a[100][100];

// CHECK-LABEL: triangular at loops.c:{{[0-9]+}}
int triangular(int n) {
  int s = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+1]]: rounds = (zext64(arg0) - 1), variable from 0 to sext64(arg0) step 1, whole
  for (int i = 0; i < n; ++i)
    // CHECK-NEXT: loop 1 in 0 at loops.c:[[@LINE+2]]: rounds = <(zext64(arg0) - 1), -1>0, variable from <0, +1>0 to sext64(arg0) step 1, whole
    // CHECK-NEXT: if (arg0 s> 0)
    for (int j = i; j < n; ++j) s += a[i][j] > 0.5;
  return s;
}

// CHECK-LABEL: strided at loops.c:{{[0-9]+}}
double strided(const double* x, int n, int k) {
  double s = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+1]]: rounds = ((zext64(arg1) - 1) u/ 4), variable from 0 to sext64(arg1) step 4, whole
  for (int i = 0; i < n; i += 4) s += x[i];
  // CHECK-NEXT: loop 1 at loops.c:[[@LINE+2]]: rounds = ((smax(zext64(arg1), sext64(arg2)) - 1) u/ sext64(arg2)), variable from 0 to sext64(arg1) step sext64(arg2), whole
  // CHECK-NEXT: if (arg1 s> 0)
  for (int i = 0; i < n; i += k) s += x[i];
  return s;
}

// CHECK-LABEL: nested at loops.c:{{[0-9]+}}
long nested(int n, int m) {
  long s = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+1]]: rounds = (arg0 - 1), variable from 0 to arg0 step 1, whole
  for (int i = 0; i < n; ++i)
    // CHECK-NEXT: loop 1 in 0 at loops.c:[[@LINE+1]]: rounds = (arg1 - 1), variable from 0 to arg1 step 1, whole
    for (int j = 0; j < m; ++j)
      // CHECK-NEXT: loop 2 in 1 at loops.c:[[@LINE+3]]: rounds = (<0, +1>1 s/ 2), variable from 0 to <0, +1>1 step 2, whole
      // CHECK-NEXT: if (arg0 s> 0)
      // CHECK-NEXT: if (arg1 s> 0)
      for (int k = 0; k <= j; k += 2) s += i ^ j ^ k;
  return s;
}

// CHECK-LABEL: downward at loops.c:{{[0-9]+}}
double downward(const double* x, long n) {
  double s = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+2]]: rounds = (arg1 - 4), variable from arg1 to 4 step -1, whole
  // CHECK-NEXT: if (arg1 s> 3)
  for (long i = n; i > 3; --i) s = s * 0.5 + x[i];
  return s;
}

// CHECK-LABEL: guarded at loops.c:{{[0-9]+}}
double guarded(const double* x, int n) {
  double s = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+2]]: rounds = (zext64(arg1) - 1), variable from 0 to sext64(arg1) step 1, whole
  // CHECK-NEXT: if (arg1 s> 0)
  for (int i = 0; i < n; ++i)
    // CHECK-NEXT: if (<1, +1>0 == zext64(arg1))
    if (x[i] > 0.3) s += 1 / x[i];
  return s;
}

// CHECK-LABEL: reduced at loops.c:{{[0-9]+}}
double reduced(const double* x, long n, double* most) {
  double s = 0, m = 0;
  // CHECK-NEXT: loop 0 at loops.c:[[@LINE+3]]: rounds = (arg1 - 1), variable from 0 to arg1 step 1, whole
  // CHECK-NEXT: if (arg1 s> 0)
  // CHECK-NEXT: if (<1, +1>0 == arg1)
  for (long i = 0; i < n; ++i) {
    s += x[i];
    if (x[i] > m) m = x[i];
  }
  // CHECK-NEXT: store *arg2 = select((arg1 s> 0), select(fcmp?, load somewhere, phi?), 0x0)
  *most = m;
  return s;
}
