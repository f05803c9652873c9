// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds do not follow from their bounds, and the facts that are available for them.
// CHECK-LABEL: geometric at others.c:{{[0-9]+}}
int geometric(int n) {
  int c = 0;
  // ceil(log2(n / 2)): the doubled value is compared
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+3]]: rounds = ? or smax(0, fptosi64(ceil(log2(fmax((sitofp64(arg0) / (sitofp64(1) * 0x4000000000000000)), 0x3FE0000000000000)))))
  // CHECK-NEXT: if (arg0 s> 1)
  // CHECK-NEXT: if ((2 * phi?) s< arg0)
  for (int i = 1; i < n; i *= 2) c += n ^ i;
  return c;
}

// CHECK-LABEL: until at others.c:{{[0-9]+}}
int until(int (*more)(int), int n) {
  int c = 0;
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+3]]: rounds = ?
  // CHECK-NEXT: if (indirect() == 0)
  // CHECK-NEXT: call indirect(arg1) at others.c:[[@LINE+1]]
  while (more(n)) ++c;
  return c;
}

// CHECK-LABEL: early at others.c:{{[0-9]+}}
int early(const double* x, int n, double limit) {
  double s = 0;
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+3]]: rounds = ? or ((sext64(arg1) - 1) s/ 1)
  // CHECK-NEXT: if (arg1 s> 0)
  // CHECK-NEXT: if (<1, +1>0 == zext64(arg1))
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > limit) return i;
  }
  return -1;
}

struct list {
  struct list* next;
  double value;
};

// CHECK-LABEL: chased at others.c:{{[0-9]+}}
double chased(const struct list* at) {
  double s = 0;
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+1]]: rounds = ?
  for (; at; at = at->next) s += at->value;
  return s;
}

// CHECK-LABEL: collatz at others.c:{{[0-9]+}}
int collatz(long n) {
  int c = 0;
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+3]]: rounds = ?
  // CHECK-NEXT: if (arg0 == 1)
  // CHECK-NEXT: if (select(((phi? & 1) == 0), (phi? s>> 1), ((phi? * 3) + 1)) == 1)
  for (; n != 1; ++c) n = n % 2 ? 3 * n + 1 : n / 2;
  return c;
}

// CHECK-LABEL: whoever at others.c:{{[0-9]+}}
double whoever(double (*function)(int), int n) {
  double s = 0;
  // CHECK-NEXT: loop 0 at others.c:[[@LINE+4]]: rounds = (arg1 - 1), variable from 0 to arg1 step 1
  // CHECK-NEXT: if (arg1 s> 0)
  // CHECK-NEXT: if (<1, +1>0 == arg1)
  // CHECK-NEXT: call indirect(<0, +1>0) at others.c:[[@LINE+1]]
  for (int i = 0; i < n; ++i) s += function(i);
  return s;
}

struct sizes {
  long of[6];
};
void take(struct sizes*);

// CHECK-LABEL: copied at others.c:{{[0-9]+}}
// CHECK-NEXT: call memcpy(local0, *arg0, 48) at others.c:[[@LINE+2]]
void copied(const struct sizes* from) {
  struct sizes own = *from;
  take(&own);
}
