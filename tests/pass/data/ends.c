// SPDX-License-Identifier: Apache-2.0
// Loops that end by data, and loops that do not. Expectations in each function list what decides their end.
#include <math.h>
#include <stdlib.h>

extern int ready(void);
extern void touch(void);
extern void use(double);
extern void take(double**);
struct Grid {
  int n;
};
extern const struct Grid* grid(void);

// CHECK-LABEL: up_to_a_tolerance at ends.c:{{[0-9]+}}
double up_to_a_tolerance(double r, double tolerance) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  while (r > tolerance) r = r * r - 0.5 * r;
  return r;
}

// CHECK-LABEL: at_most at ends.c:{{[0-9]+}}
int at_most(double r, double tolerance, int most) {
  int rounds = 0;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given, or by data
  for (; rounds < most; ++rounds) {
    use(r);
    if (r < tolerance) break;
    r = r * r - 0.5 * r;
  }
  return rounds;
}

// CHECK-LABEL: by_a_flag at ends.c:{{[0-9]+}}
void by_a_flag(double* x, int n) {
  int done = 0;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  while (!done) {
    touch();
    if (x[n] < 1e-6) done = 1;
  }
}

struct Item {
  struct Item* next;
  double value;
  int more;
};

// CHECK-LABEL: along_a_list at ends.c:{{[0-9]+}}
double along_a_list(const struct Item* item) {
  double sum = 0;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  for (; item; item = item->next) sum += item->value;
  return sum;
}

// CHECK-LABEL: as_it_is_told at ends.c:{{[0-9]+}}
void as_it_is_told(void) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  while (!ready()) touch();
}

// The number of rounds of the second loop depends on that of the first.
// CHECK-LABEL: as_often_again at ends.c:{{[0-9]+}}
void as_often_again(double r, double tolerance) {
  int rounds = 0;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  for (; r > tolerance; ++rounds) r = r * r - 0.5 * r;
  // CHECK-NEXT: loop 1 at ends.c:[[@LINE+1]]: left by data
  for (int i = 0; i < rounds; ++i) touch();
}

// CHECK-LABEL: by_arguments at ends.c:{{[0-9]+}}
void by_arguments(int n, unsigned m) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (int i = 0; i < n; ++i) touch();
  // CHECK-NEXT: loop 1 at ends.c:[[@LINE+1]]: left by what is given
  for (; m; m &= m - 1) touch();
  // CHECK-NOT: data decide
}

// The loop compares with a variable that touch may change, and so is its own counter.
// CHECK-LABEL: by_variables at ends.c:{{[0-9]+}}
void by_variables(int* i, const int* n) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  while (*i < *n) {
    touch();
    ++*i;
  }
  // CHECK-NOT: data decide
}

// CHECK-LABEL: by_halves at ends.c:{{[0-9]+}}
void by_halves(int n) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (int i = 0; i < (int)floor(0.5 * n) - n % 3; ++i) touch();
  // CHECK-NOT: data decide
}

// CHECK-LABEL: by_rows at ends.c:{{[0-9]+}}
void by_rows(const int* first, int n) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+2]]: left by what is given
  // CHECK-NEXT: loop 1 in 0 at ends.c:[[@LINE+2]]: left by data
  for (int i = 0; i < n; ++i)
    for (int k = first[i]; k != first[i + 1]; ++k) touch();
}

// A choice by data, and a loop that depends on it.
// CHECK-LABEL: larger at ends.c:{{[0-9]+}}
void larger(double a, double b, int n) {
  int m = n;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+2]]: left by data
  if (a > b) touch(), m = 2 * n;
  for (int i = 0; i < m; ++i) touch();
  // CHECK-NEXT: data decide behind ends.c:{{[0-9]+}}
  // CHECK-NEXT: data decide behind ends.c:{{[0-9]+}}
}

// The object is one that a call gives; a variable in it has the number of rounds.
// CHECK-LABEL: by_a_field at ends.c:{{[0-9]+}}
void by_a_field(void) {
  const struct Grid* all = grid();
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (int i = 0; i < all->n; ++i) touch();
  // CHECK-NOT: data decide
}

struct Matrix {
  struct {
    long rows, columns;
    double** column;
  }* content;
};

// Each round reloads the content's address, since *x may alias it and touch may change it: it is a variable.
// CHECK-LABEL: by_fields_behind_a_pointer at ends.c:{{[0-9]+}}
void by_fields_behind_a_pointer(const struct Matrix* a, char* x) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+2]]: left by what is given
  // CHECK-NEXT: loop 1 in 0 at ends.c:[[@LINE+2]]: left by what is given
  for (long j = 0; j < a->content->columns; ++j)
    for (long i = 0; i < a->content->rows; ++i) *x = (char)(3 * *x + i);
  // CHECK-NEXT: loop 2 at ends.c:[[@LINE+1]]: left by what is given
  for (long j = 0; j < a->content->columns; ++j) touch();
  // CHECK-NOT: data decide
}

// Only some rounds reload it.
// CHECK-LABEL: read_again_by_some at ends.c:{{[0-9]+}}
void read_again_by_some(const struct Matrix* a) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (long j = 0; j < a->content->columns; ++j)
    if (a->content->column[j]) touch();
  // CHECK-NOT: data decide
}

// The program reads nothing through the stored pointers.
// CHECK-LABEL: put_away at ends.c:{{[0-9]+}}
void put_away(const struct Matrix* a) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (long j = 0; j < a->content->columns; ++j) {
    free(a->content->column[j]);
    a->content->column[j] = NULL;
  }
  // CHECK-NOT: data decide
}

// The program stores pointers in its own object.
// CHECK-LABEL: beside_its_own at ends.c:{{[0-9]+}}
void beside_its_own(const struct Matrix* a, int n) {
  double** own = malloc((size_t)n * sizeof *own);
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (long j = 0; j < a->content->columns; ++j) {
    own[j % n] = a->content->column[j];
    take(own);
  }
}

// The same, but here the content is replaced.
// CHECK-LABEL: as_contents_change at ends.c:{{[0-9]+}}
void as_contents_change(struct Matrix* a, struct Matrix* b) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  for (long j = 0; j < a->content->columns; ++j) {
    a->content = b[j].content;
    touch();
  }
}

// A list whose current place the program keeps in memory.
// CHECK-LABEL: along_a_kept_list at ends.c:{{[0-9]+}}
void along_a_kept_list(struct Item** at) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by data
  while ((*at)->more) {
    *at = (*at)->next;
    touch();
  }
}

// Each round of the outer loop has another matrix, which the inner loop does not change.
// CHECK-LABEL: by_one_of_many at ends.c:{{[0-9]+}}
void by_one_of_many(const long* rows, int n) {
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+2]]: left by what is given
  // CHECK-NEXT: loop 1 in 0 at ends.c:[[@LINE+2]]: left by data
  for (int k = 0; k < n; ++k)
    for (long i = 0; i < rows[k]; ++i) touch();
  // CHECK-NOT: data decide
}

// A choice by data before a choice that does not depend on data.
// CHECK-LABEL: after_a_choice at ends.c:{{[0-9]+}}
void after_a_choice(double a, double b, int n, int m) {
  int most;
  if (a > b) touch();
  if (n > m)
    touch(), most = m;
  else
    use(1), most = n;
  // CHECK-NEXT: loop 0 at ends.c:[[@LINE+1]]: left by what is given
  for (int i = 0; i < most; ++i) touch();
  // CHECK-NEXT: data decide behind ends.c:[[@LINE-7]]
  // CHECK-NOT: data decide
}

// CHECK-LABEL: by_kind at ends.c:{{[0-9]+}}
void by_kind(void) {
  // CHECK-NEXT: data decide behind ends.c:[[@LINE+1]]
  switch (ready()) {
    case 1: touch(); break;
    case 5: use(1); break;
    case 9: use(2); break;
    case 14: use(3); break;
  }
}
