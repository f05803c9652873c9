// SPDX-License-Identifier: Apache-2.0
template <class Number>
__attribute__((noinline)) Number largest(const Number* x, int n) {
  Number most = x[0];
  for (int i = 0; i < n; ++i)
    if (x[i] > most) most = x[i];
  return most;
}
double there(const double* x, int n);
