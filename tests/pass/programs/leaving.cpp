// SPDX-License-Identifier: Apache-2.0
// Exits from the middle of a function: exceptions, long jumps, virtual calls, recursion, switches.
// run with: 3; 10; 30; 120
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>
#include <string>
#include <stdexcept>
#include <algorithm>
#include <csetjmp>
struct Shape { virtual double area(int i) const = 0; virtual ~Shape() {} };
struct Sq : Shape { double s; Sq(double x) : s(x) {} double area(int i) const override { if (i == 77) throw std::runtime_error("x"); return s * s; } };
struct Ci : Shape { double s; Ci(double x) : s(x) {} double area(int i) const override { double t = 0; for (int k = 0; k < i % 7; ++k) t += s; return t; } };
__attribute__((noinline)) double total(const std::vector<Shape*>& v) { double t = 0; int i = 0; for (auto* s : v) t += s->area(i++); return t; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
std::jmp_buf jb;
__attribute__((noinline)) void jumper(int k) { for (int i = 0; i < k; ++i) if (i == 5) std::longjmp(jb, 1); }
__attribute__((noinline)) int find(const std::vector<int>& v, int x) { for (size_t i = 0; i < v.size(); ++i) if (v[i] == x) return i; return -1; }
__attribute__((noinline)) int sw(int n) { int s = 0; for (int i = 0; i < n; ++i) switch (i % 6) { case 0: s += 1; break; case 1: s += i; case 2: s *= 3; break; case 4: s ^= i; break; default: s--; } return s; }
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10;
  std::vector<Shape*> v; for (int i = 0; i < n; ++i) { if (i % 3) v.push_back(new Ci(i)); else v.push_back(new Sq(i)); }
  std::vector<Shape*> w(v.begin(), v.end()); if (n > 100) w[77] = new Sq(1);
  try { printf("%g\n", total(w)); } catch (std::exception& e) { printf("caught %s\n", e.what()); }
  std::map<std::string, int> m; for (int i = 0; i < n; ++i) m[std::to_string(i * 7 % 13)] += i;
  int s = 0; for (auto& [k, x] : m) s += x;
  std::vector<int> q; for (int i = 0; i < n; ++i) q.push_back((i * 7919) % 101); std::sort(q.begin(), q.end());
  volatile int tries = 0;
  if (setjmp(jb) == 0) { tries = tries + 1; jumper(n); } else { tries = tries + 10; }
  printf("%d %d %d %d %d\n", s, fib(n % 20), find(q, 50), sw(n), (int)tries);
  int tri = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < i; ++j) for (int k = j; k < n; k += 2) tri += k & j;
  printf("%d\n", tri);
  return 0;
}
