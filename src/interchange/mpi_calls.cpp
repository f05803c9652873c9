// SPDX-License-Identifier: Apache-2.0
#include "interchange/mpi_calls.h"

#include <algorithm>
#include <map>
#include <string>

#include "interchange/lower.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Pattern;

constexpr MpiCall kCalls[] = {
#include "calls.inc"
};

const MpiCall* look_up(const std::string& lowered) {
  static const std::map<std::string, const MpiCall*> calls = [] {
    std::map<std::string, const MpiCall*> out;
    for (const MpiCall& call : kCalls) out.emplace(lower(call.name), &call);
    return out;
  }();
  const auto at = calls.find(lowered);
  return at == calls.end() ? nullptr : at->second;
}

}  // namespace

std::span<const MpiCall> mpi_calls() {
  return kCalls;
}

const MpiCall* find_mpi_call(std::string_view name) {
  if (name.ends_with("()")) name.remove_suffix(2);
  while (name.ends_with("_")) name.remove_suffix(1);
  std::string lowered = lower(name);
  if (const MpiCall* call = look_up(lowered)) return call;
  if (lowered.starts_with("pmpi_")) return look_up(lowered.substr(1));
  if (lowered.ends_with("_c")) return look_up(lowered.substr(0, lowered.size() - 2));
  return nullptr;
}

const MpiCall& receiving(const MpiCall& call) {
  static const MpiCall start{"MPI_Start", CallClass::start_receive, Pattern::none, Treatment::event};
  static const MpiCall startall{"MPI_Startall", CallClass::start_receive, Pattern::none, Treatment::event};
  return call.name == start.name ? start : call.name == startall.name ? startall : call;
}

}  // namespace parcast::interchange
