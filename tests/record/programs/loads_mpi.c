/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library that uses MPI by dlopen, like interpreters: libmpi is not in the program's lookup order. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 70;
  int (*work)(void);
  *(void**)&work = dlsym(library, "work");
  return work ? work() : 71;
}
