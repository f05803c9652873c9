/* SPDX-License-Identifier: Apache-2.0 */
#include <parcast/parcast.h>
#include <stdio.h>

int main(void) {
  parcast_parameter("n", 3);
  parcast_region_begin("sum");
  int sum = 0;
  for (int i = 1; i <= 3; ++i) sum += i;
  parcast_region_end();
  const struct parcast_value values[] = {{"m", 1}};
  parcast_probe_begin(values, 1);
  parcast_phase("sum", PARCAST_COMPUTE, 3, 3);
  printf("%d\n", sum);
  return 0;
}
