// SPDX-License-Identifier: Apache-2.0
#pragma once
// Facts about this host's processors, as the operating system reports them.

#include <string>
#include <string_view>

namespace parcast {

/// Returns e.g. "AMD EPYC 7763 64-Core Processor"; empty when /proc/cpuinfo names none.
std::string processor_name();

/// Returns e.g. "2096.017 MHz" when the text of /proc/cpuinfo gives the same frequency for several
/// processors. That is their nominal frequency, which changes only with the machine. Empty when the
/// frequencies differ, because they are then momentary, and for a single processor, because one value cannot
/// be checked.
std::string steady_frequency(std::string_view cpuinfo);
/// Same, for this host.
std::string steady_frequency();

/// Returns whether a hypervisor provides the processors; it may provide less of them for minutes at a time.
/// Returns false when this cannot be determined.
bool on_virtual_machine();

/// Same, from the text of /proc/cpuinfo (x86 lists it among the flags) and the system's product name (which
/// identifies virtual machines on other processors).
bool is_virtual(std::string_view cpuinfo, std::string_view product);

}  // namespace parcast
