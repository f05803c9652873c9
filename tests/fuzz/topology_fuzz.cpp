// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of hwloc's XML. Whatever hwloc does in its process, the result is a topology or an error
// message. A machine made from a topology is written and read back.
//
//   build/fuzz/fuzz/topology_fuzz -max_total_time=600 CORPUS tests/fuzz/seeds/topology
#include <cstdlib>

#include "accept_trace.h"
#include "calibrate/topology.h"
#include "machine/machine_file.h"

using namespace parcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InMemory file(data, size);
  const auto topology = calibrate::topology_from_xml(file.path());
  if (!topology) {
    fuzz::demand(!topology.error().what.empty());
    return 0;
  }
  machine::Machine machine = calibrate::machine_of(*topology, "input");
  machine.name = "input";
  if (!machine::check(machine)) return 0;
  const std::string text = machine::to_toml(machine);
  const auto back = machine::machine_from_toml(text, "again");
  fuzz::demand(back && machine::to_toml(*back) == text);
  return 0;
}
