// SPDX-License-Identifier: Apache-2.0
// Works itself and in two libraries; the program loads one of them late: loads.so LIBRARY.
#include <dlfcn.h>

#include <cstdio>

#include "work.h"

extern "C" void plugin_work();

int main(int, char** argv) {
  work(7);
  plugin_work();
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) return std::printf("%s\n", dlerror()), 1;
  void (*late)();
  *reinterpret_cast<void**>(&late) = dlsym(library, "plugin_work");
  late();
  std::printf("worked\n");
  return 0;
}
