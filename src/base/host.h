// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the system says of the processors that this runs on.

#include <string>
#include <string_view>

namespace parcast {

/// "AMD EPYC 7763 64-Core Processor"; empty where /proc/cpuinfo names none.
std::string processor_name();

/// "2096.017 MHz" where the text of /proc/cpuinfo tells the same of several processors: then it is what they run at by name, and changes with the
/// machine alone. Empty where they differ, since these are frequencies of a moment, and of a single processor, of which that cannot be told.
std::string steady_frequency(std::string_view cpuinfo);
/// Of this host.
std::string steady_frequency();

/// Whether they are given by a hypervisor, which may give less of them for minutes at a time. Unknown is false.
bool on_virtual_machine();

/// The same from the texts of /proc/cpuinfo (x86 marks it among the flags) and of the system's product name, by which other processors' machines are known.
bool is_virtual(std::string_view cpuinfo, std::string_view product);

}  // namespace parcast
