// SPDX-License-Identifier: Apache-2.0
// BUILD OMP: -O2 -fopenmp=libomp
// Loops that threads share out, by schedule. The parallel regions' functions come behind those that start them.
void shared(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void in_chunks(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel for schedule(static, 16)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void on_demand(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void guided(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

void as_said_later(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}

// Every thread does the first and the last loop itself; of the second nest only the outer one is shared.
void one_of_three(double* restrict y, const double* restrict x, int n) {
#pragma omp parallel
  {
    for (int i = 0; i < n; ++i) y[i] += 1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[i] += x[j];
    for (int i = 0; i < n; ++i) y[i] += 3;
  }
}
