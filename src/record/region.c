/* SPDX-License-Identifier: Apache-2.0 */
/* What a program linked with -lparcast calls when no recorder is loaded: nothing happens. The recorder library
 * defines the same functions and comes first in the lookup order. */
#include "parcast/parcast.h"

void parcast_region_begin(const char* name) { (void)name; }
void parcast_region_end(void) {}
void parcast_classes(const char* list) { (void)list; }
void parcast_parameter(const char* name, double value) {
  (void)name;
  (void)value;
}
