// SPDX-License-Identifier: Apache-2.0
// BUILD OMP = -O2 -fopenmp=libomp
// Loops that threads share, by schedule. A parallel region's function is after the function that starts it.
void shared(double* restrict y, const double* restrict x, int n) {
// CHECK: shared.omp_outlined at openmp.c:[[@LINE+2]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+1]]: width 2, interleave 2, shared static
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void in_chunks(double* restrict y, const double* restrict x, int n) {
// CHECK: in_chunks.omp_outlined at openmp.c:[[@LINE+3]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+2]]: width 1, interleave 1, shared static chunked, chunks
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+1]]: width 2, interleave 2, shared static chunked
#pragma omp parallel for schedule(static, 16)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void on_demand(double* restrict y, const double* restrict x, int n) {
// CHECK: on_demand.omp_outlined at openmp.c:[[@LINE+3]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+2]]: width 1, interleave 1, shared dynamic, chunks
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+1]]: width 2, interleave 2, shared dynamic
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void guided(double* restrict y, const double* restrict x, int n) {
// CHECK: guided.omp_outlined at openmp.c:[[@LINE+3]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+2]]: width 1, interleave 1, shared guided, chunks
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+1]]: width 2, interleave 2, shared guided
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void as_said_later(double* restrict y, const double* restrict x, int n) {
// CHECK: as_said_later.omp_outlined at openmp.c:[[@LINE+3]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+2]]: width 1, interleave 1, shared runtime, chunks
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+1]]: width 2, interleave 2, shared runtime
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

// How many rounds there are is known, so every thread reaches the code after the shared loop.
void first_of_two(double* restrict y) {
// CHECK: first_of_two.omp_outlined at openmp.c:[[@LINE+3]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+4]]: {{.*}}, shared static
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+6]]: width 2, interleave 1
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) y[i] += 1;
#pragma clang loop unroll(disable)
    for (int i = 0; i < 1000; ++i) y[i] *= 3;
  }
}

// Every thread executes the first and the last loop in full; in the second nest only the outer one is shared.
void one_of_three(double* restrict y, const double* restrict x, int n) {
// CHECK: one_of_three.omp_outlined at openmp.c:[[@LINE+5]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+6]]: width 2, interleave 2
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+6]]: width 1, interleave 1, shared static
// CHECK-NEXT: loop 2 at openmp.c:[[@LINE+7]]: width 1, interleave 1
// CHECK-NEXT: loop 3 at openmp.c:[[@LINE+7]]: width 2, interleave 2
#pragma omp parallel
  {
    for (int i = 0; i < n; ++i) y[i] += 1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[i] += x[j];
    for (int i = 0; i < n; ++i) y[i] += 3;
  }
}

// The number of rounds of the first one is known, so every thread reaches the second one.
void one_after_the_other(double* restrict y, int n) {
// CHECK: one_after_the_other.omp_outlined at openmp.c:[[@LINE+4]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+5]]: {{.*}}, shared static
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+6]]: {{.*}}, shared static chunked, chunks
// CHECK-NEXT: loop 2 at openmp.c:[[@LINE+5]]: {{.*}}, shared static chunked
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) y[i] += 1;
#pragma omp for schedule(static, 16)
    for (int i = 0; i < n; ++i) y[i] *= 3;
  }
}

// Every thread executes all steps.
void again_and_again(double* restrict y, int n, int steps) {
// CHECK: again_and_again.omp_outlined at openmp.c:[[@LINE+4]]
// CHECK-NEXT: loop 0 at openmp.c:[[@LINE+4]]: width 1, interleave 1
// CHECK-NEXT: loop 1 at openmp.c:[[@LINE+4]]: {{.*}}, shared dynamic, chunks
// CHECK-NEXT: loop 2 at openmp.c:[[@LINE+3]]: {{.*}}, shared dynamic
#pragma omp parallel
  for (int s = 0; s < steps; ++s) {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; ++i) y[i] += s;
  }
}
