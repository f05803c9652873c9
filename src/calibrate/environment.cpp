// SPDX-License-Identifier: Apache-2.0
#include "calibrate/environment.h"

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/host.h"
#include "base/text.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMpi = "mpi_library";
constexpr const char* kNotKnown = "not known";

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string with_size(const fs::path& file) {
  std::error_code problem;
  const fs::path real = fs::canonical(file, problem);
  if (problem) return "";
  const auto size = fs::file_size(real, problem);
  return problem ? "" : real.string() + ", " + std::to_string(size) + " B";
}

/// Returns a sentence about a property that both environments have and that changed; empty otherwise.
std::string changed(const std::string& what, const Environment& then, const Environment& now,
                    const std::string& key) {
  const auto before = then.find(key), after = now.find(key);
  if (before == then.end() || after == now.end() || before->second == after->second) return "";
  if (before->second == kNotKnown || after->second == kNotKnown) return "";
  return what + " was " + before->second + " when it was measured, and is " + after->second;
}

}  // namespace

Environment host_environment() {
  Environment out;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) out["host"] = host.data();
  utsname system{};
  if (::uname(&system) == 0) out["kernel"] = system.release;
  out["processor"] = processor_name();
  if (on_virtual_machine()) out["virtual"] = "yes";
  if (const long cores = ::sysconf(_SC_NPROCESSORS_ONLN); cores > 0) out["cores"] = std::to_string(cores);
  const std::string frequency = "/sys/devices/system/cpu/";
  out["governor"] = first_line(frequency + "cpu0/cpufreq/scaling_governor");
  out["boost"] = first_line(frequency + "cpufreq/boost");
  if (const std::string off = first_line(frequency + "intel_pstate/no_turbo"); !off.empty())
    out["boost"] = off == "0" ? "1" : "0";
  if (out["governor"].empty()) {
    const std::string steady = steady_frequency();
    out["frequency"] = steady.empty() ? kNotKnown : steady;
  }
  std::erase_if(out, [](const auto& fact) { return fact.second.empty(); });
  return out;
}

std::string library_of(const char* symbol) {
  void* const address = ::dlsym(RTLD_DEFAULT, symbol);
  Dl_info found{};
  if (!address || ::dladdr(address, &found) == 0 || !found.dli_fname) return "";
  return with_size(found.dli_fname);
}

std::string library_used_by(const fs::path& program) {
  std::string quoted = program.string();
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4)
    quoted.replace(at, 1, "'\\''");
  // The loader lists the libraries, as for ldd.
  FILE* const listing = ::popen(("LD_TRACE_LOADED_OBJECTS=1 '" + quoted + "' 2>/dev/null").c_str(), "r");
  if (!listing) return "";
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), listing)) > 0;)
    text.append(part.data(), got);
  ::pclose(listing);
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    const auto path = entry.find("=> /");
    if (found.empty() && entry.starts_with("libmpi") && path != std::string_view::npos)
      found = with_size(std::string(entry.substr(path + 3, entry.find(' ', path + 3) - path - 3)));
  }
  return found;
}

std::vector<std::string> changes_since(const Environment& then, const Environment& now) {
  std::vector<std::string> out;
  const auto host = then.find("host"), here = now.find("host");
  if (host == then.end() || here == now.end() || host->second != here->second) return out;
  struct Fact {
    const char *key, *what;
  };
  for (const Fact& fact : {Fact{"processor", "the processor"},
                           {"cores", "the number of cores"},
                           {"kernel", "the kernel"},
                           {"governor", "the frequency governor"},
                           {"boost", "frequency boost"},
                           {"frequency", "the frequency"}})
    if (std::string sentence = changed(fact.what, then, now, fact.key); !sentence.empty())
      out.push_back(std::move(sentence));
  if (const auto mpi = then.find(kMpi); mpi != then.end()) {
    const std::string path = mpi->second.substr(0, mpi->second.rfind(", ")), found = with_size(path);
    if (found.empty())
      out.push_back("the MPI library that it was measured with is gone: " + path);
    else if (found != mpi->second)
      out.push_back("the MPI library is another than when it was measured: " + path);
  }
  return out;
}

}  // namespace parcast::calibrate
