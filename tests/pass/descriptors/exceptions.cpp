// SPDX-License-Identifier: Apache-2.0
// Thrown types, with their bases, and the types that handlers catch.
#include <stdexcept>

struct Mine : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct First {
  int x;
};
struct Second : First {};
struct Other {
  int y;
};
struct Both : Second, Other {};
struct Hidden : private First {};
namespace {
struct Local : First {};
}  // namespace

// CHECK-LABEL: _Z6numberv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTIi
void number() { throw 1; }
// CHECK-LABEL: _Z6secondv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTI6Second of _ZTI5First
void second() { throw Second(); }
// CHECK-LABEL: _Z4minev at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTI4Mine of _ZTISt13runtime_error of _ZTISt9exception
void mine() { throw Mine("mine"); }
// CHECK-LABEL: _Z10of_libraryv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTISt12out_of_range of _ZTISt11logic_error of _ZTISt9exception
void of_library() { throw std::out_of_range("far"); }
// Several bases, a private one, a type local to this file, a pointer: the types that catch it are unknown.
// CHECK-LABEL: _Z4bothv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTI4Both of ?
void both() { throw Both(); }
// CHECK-LABEL: _Z6hiddenv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTI6Hidden of ?
void hidden() { throw Hidden(); }
// CHECK-LABEL: _Z5localv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTI5First of ?
void local() { throw Local(); }
// CHECK-LABEL: _Z4textv at exceptions.cpp:{{[0-9]+}}
// CHECK: {{.*}}, throws _ZTIPKc of ?
void text() { throw "text"; }

void may();
// CHECK-LABEL: _Z5takesv at exceptions.cpp:{{[0-9]+}}
// CHECK: handler at exceptions.cpp:{{[0-9]+}} takes _ZTI4Mine, _ZTIi, ?, all
int takes() {
  try {
    may();
  } catch (const Mine&) {
    return 1;
  } catch (int) {
    return 2;
  } catch (const Local&) {
    return 3;
  } catch (...) {
    return 4;
  }
  return 0;
}
