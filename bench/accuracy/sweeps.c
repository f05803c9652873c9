/* SPDX-License-Identifier: Apache-2.0
 * Sweeps over arrays of 8-byte numbers, on one core:
 *
 *     sweeps KERNEL ELEMENTS ROUNDS
 *
 *     sum     s += a[i]                 8 bytes per element
 *     update  a[i] = 0.5 a[i] + 1       8
 *     add     b[i] += a[i]              16
 *     touch   a[i] += 1 for one i in each page of 4 KiB, in an order that prefetchers cannot predict; 8
 *
 * Prints "seconds S" of the rounds; the arrays were filled and swept once before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile double sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void sum(double* a, double* b, long n) {
  (void)b;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (long i = 0; i + 4 <= n; i += 4) s0 += a[i], s1 += a[i + 1], s2 += a[i + 2], s3 += a[i + 3];
  sink = s0 + s1 + s2 + s3;
}

static void update(double* a, double* b, long n) {
  (void)b;
  for (long i = 0; i < n; ++i) a[i] = 0.5 * a[i] + 1;
  sink = a[n / 2];
}

static void add(double* a, double* b, long n) {
  for (long i = 0; i < n; ++i) b[i] += a[i];
  sink = b[n / 2];
}

/* A step that is coprime to the number of pages visits each of them once. */
static void touch(double* a, double* b, long n) {
  (void)b;
  const long per_page = 512, pages = n / per_page;
  long step = (long)(0.618 * pages) | 1;
  for (;; step += 2) {
    long x = pages, y = step;
    while (y) { const long r = x % y; x = y, y = r; }
    if (x == 1) break;
  }
  for (long k = 0, page = 0; k < pages; ++k, page = (page + step) % pages) a[page * per_page] += 1;
  sink = a[0];
}

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "usage: sweeps sum|update|add|touch ELEMENTS ROUNDS\n"), 2;
  void (*kernel)(double*, double*, long) = !strcmp(argv[1], "sum") ? sum : !strcmp(argv[1], "update") ? update : !strcmp(argv[1], "add") ? add : !strcmp(argv[1], "touch") ? touch : NULL;
  const long n = atol(argv[2]), rounds = atol(argv[3]);
  if (!kernel || n < 1024 || rounds < 1) return fprintf(stderr, "sweeps: a kernel, at least 1024 elements and 1 round\n"), 2;
  double *a = malloc(8 * n), *b = kernel == add ? malloc(8 * n) : NULL;
  if (!a || (kernel == add && !b)) return fprintf(stderr, "sweeps: no memory\n"), 1;
  for (long i = 0; i < n; ++i) {
    a[i] = 1;
    if (b) b[i] = 2;
  }
  kernel(a, b, n);
  const double begin = now();
  for (long k = 0; k < rounds; ++k) kernel(a, b, n);
  printf("seconds %.9f\n", now() - begin);
  free(a), free(b);
  return 0;
}
