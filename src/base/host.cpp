// SPDX-License-Identifier: Apache-2.0
#include "base/host.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace parcast {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the text after the colon of the first line with that name.
std::string_view field(std::string_view cpuinfo, std::string_view name) {
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    cpuinfo.remove_prefix(std::min(cpuinfo.size(), line.size() + 1));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == name)
      return trim(line.substr(colon + 1));
  }
  return {};
}

}  // namespace

std::string processor_name() {
  return std::string(field(text_of("/proc/cpuinfo"), "model name"));
}

std::string steady_frequency(std::string_view cpuinfo) {
  std::string_view found;
  int processors = 0;
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n')), frequency = field(line, "cpu MHz");
    cpuinfo.remove_prefix(std::min(cpuinfo.size(), line.size() + 1));
    if (frequency.empty()) continue;
    if (processors++ > 0 && frequency != found) return {};
    found = frequency;
  }
  return processors > 1 ? std::string(found) + " MHz" : "";
}

std::string steady_frequency() {
  return steady_frequency(text_of("/proc/cpuinfo"));
}

bool is_virtual(std::string_view cpuinfo, std::string_view product) {
  for (const std::string& flag : split(field(cpuinfo, "flags"), ' '))
    if (flag == "hypervisor") return true;
  constexpr std::array<std::string_view, 6> kVirtual{
      "KVM", "QEMU", "VMware", "VirtualBox", "Virtual Machine", "HVM domU"};
  return std::ranges::any_of(
      kVirtual, [&](std::string_view name) { return product.find(name) != std::string_view::npos; });
}

bool on_virtual_machine() {
  return is_virtual(text_of("/proc/cpuinfo"), text_of("/sys/class/dmi/id/product_name"));
}

}  // namespace parcast
