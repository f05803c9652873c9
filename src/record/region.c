/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for a program linked with -lparcast when no recorder is loaded: they do nothing. The recorder
 * library defines the same functions and comes first in lookup order. */
#include "parcast/parcast.h"

void parcast_region_begin(const char* name) {
  (void)name;
}
void parcast_region_end(void) {}
void parcast_classes(const char* list) {
  (void)list;
}
void parcast_parameter(const char* name, double value) {
  (void)name;
  (void)value;
}
void parcast_probe_begin(const struct parcast_value* parameters, int count) {
  (void)parameters;
  (void)count;
}
void parcast_phase(const char* name, enum parcast_phase_kind kind, double operations, double quantums) {
  (void)name;
  (void)kind;
  (void)operations;
  (void)quantums;
}
