// SPDX-License-Identifier: Apache-2.0
#include "recording/program_calls.h"

#include <algorithm>
#include <set>

namespace parcast::recording {
namespace {

constexpr const char* kSystem[] = {"<built-in>", "/usr/include/", "/usr/lib/", "/usr/lib64/", "/opt/rh/"};
constexpr const char* kInternal[] = {"std::",     "__gnu_cxx::",  "__cxxabiv1::",    "__cxa_",
                                     "__builtin", "operator new", "operator delete", "_Unwind_"};

bool is_of_system(const SourceLine& where, const std::string& name) {
  const auto begins = [](const std::string& text) {
    return [&](const char* with) { return text.starts_with(with); };
  };
  return std::ranges::any_of(kSystem, begins(where.file)) || std::ranges::any_of(kInternal, begins(name));
}

/// A function of the user, or a function outside of C++'s library that has no code here.
bool is_kept(const ProgramFunction& function) {
  if (!function.has_code)
    return std::ranges::none_of(kInternal, [&](const char* with) { return function.name.starts_with(with); });
  return !is_of_system(function.where, function.name);
}

class Reduction {
 public:
  explicit Reduction(const ProgramCalls& all) : all_(all), number_(all.functions.size(), kLeftOut) {}

  ProgramCalls run() {
    ProgramCalls out{all_.program, {}, {}};
    std::set<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < all_.functions.size(); ++i)
      if (all_.functions[i].has_code && is_kept(all_.functions[i])) wanted.insert(i);
    std::map<std::uint32_t, std::vector<CalledFunction>> calls;
    for (const std::uint32_t i : wanted) calls[i] = calls_of(i);
    for (const auto& [caller, called] : calls)
      for (const CalledFunction& each : called) wanted.insert(each.function);
    for (const std::uint32_t i : wanted) {
      number_[i] = static_cast<std::uint32_t>(out.functions.size());
      out.functions.push_back(all_.functions[i]);
      out.functions.back().calls = calls[i];
    }
    for (ProgramFunction& function : out.functions)
      for (CalledFunction& called : function.calls) called.function = number_[called.function];
    std::ranges::copy_if(all_.classes, std::back_inserter(out.classes), [](const ProgramClass& each) {
      return !each.where.file.empty() && !is_of_system(each.where, each.name);
    });
    return out;
  }

 private:
  static constexpr std::uint32_t kLeftOut = 0xffffffff;

  /// Follows functions that are left out to those that they call.
  std::vector<CalledFunction> calls_of(std::uint32_t caller) const {
    std::vector<CalledFunction> out;
    std::set<std::uint32_t> seen{caller};
    const auto add = [&](const CalledFunction& called) {
      const auto same = std::ranges::find(out, called.function, &CalledFunction::function);
      if (same == out.end())
        out.push_back(called);
      else
        same->sites += called.sites;
    };
    const auto follow = [&](const auto& self, const CalledFunction& called) -> void {
      const ProgramFunction& function = all_.functions[called.function];
      if (is_kept(function)) return add(called);
      if (!seen.insert(called.function).second) return;
      for (const CalledFunction& next : function.calls) {
        // a library function that a left-out one calls is a detail of it
        if (!all_.functions[next.function].has_code) continue;
        self(self, {next.function, called.where, 1});
      }
    };
    for (const CalledFunction& called : all_.functions[caller].calls) follow(follow, called);
    return out;
  }

  const ProgramCalls& all_;
  std::vector<std::uint32_t> number_;
};

}  // namespace

bool ProgramCalls::has_calls() const {
  return std::ranges::any_of(
      functions, [](const ProgramFunction& each) { return !each.calls.empty() || each.indirect > 0; });
}

ProgramCalls without_system(const ProgramCalls& all) {
  return Reduction(all).run();
}

}  // namespace parcast::recording
