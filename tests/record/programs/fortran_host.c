/* SPDX-License-Identifier: Apache-2.0 */
/* Does not use MPI; loads a plugin that does, hidden from other libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* found = plugin ? dlsym(plugin, "plugin_main") : NULL;
  int (*run)(void);
  if (!found) return fprintf(stderr, "%s\n", dlerror()), 3;
  memcpy(&run, &found, sizeof run);
  return run();
}
