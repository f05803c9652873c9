// SPDX-License-Identifier: Apache-2.0
#include "cli/record_request.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "cli/launcher.h"
#include "cli/inputs.h"
#include "program/binding.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 4> kClasses{"mpi", "io", "user", "memory"};
const std::array<std::string, 3> kBatons{"auto", "off", "always"};

Result<void> check_name(const std::string& name) {
  std::string fault;
  if (name.empty()) fault = "is empty";
  else if (name.find('/') != std::string::npos) fault = "holds a /";
  else if (name[0] == '-' || name[0] == '.') fault = std::string("begins with ") + name[0];
  if (fault.empty()) return {};
  return Error{"--name \"" + name + "\" " + fault, "", "recordings and models are files of that name: for example --name lj"};
}

Result<void> check_classes(const std::string& list) {
  for (const std::string& word : split(list, ',')) {
    if (std::find(kClasses.begin(), kClasses.end(), word) != kClasses.end()) continue;
    const std::string near = did_you_mean(word, kClasses);
    return Error{"--classes " + list + ": there is no event class \"" + word + "\"", "",
                 near.empty() ? "the classes are mpi, io, user and memory" : near};
  }
  return {};
}

Result<void> check_baton(const std::string& word) {
  if (std::find(kBatons.begin(), kBatons.end(), word) != kBatons.end()) return {};
  const std::string near = did_you_mean(word, kBatons);
  return Error{"--baton " + word + ": there is no such kind of baton", "", near.empty() ? "the kinds are auto, off and always" : near};
}

/// Variables by which the recorder learns of flags; what no flag says stays as the environment has it.
Result<Variables> settings_of(const Invocation& invocation) {
  Variables settings;
  if (invocation.has("--param")) settings.emplace_back("PARCAST_PARAM", join(invocation.values("--param"), ","));
  if (invocation.has("--keep-times")) settings.emplace_back("PARCAST_TIMES", "all");
  if (invocation.has("--stack")) settings.emplace_back("PARCAST_STACK", "on");
  if (invocation.has("--counters")) settings.emplace_back("PARCAST_COUNTERS", "on");
  if (invocation.has("--few-system-calls") && invocation.has("--counters"))
    return Error{"--counters and --few-system-calls exclude each other", "", "counters are told beside what getrusage tells: leave one of them out"};
  if (invocation.has("--few-system-calls")) settings.emplace_back("PARCAST_SYSTEM_CALLS", "few");
  if (const auto baton = invocation.value("--baton")) {
    PARCAST_TRY(check_baton(*baton));
    settings.emplace_back("PARCAST_BATON", *baton);
  }
  return settings;
}

Result<void> check_parameters(const std::map<std::string, double>& parameters) {
  for (const auto& [name, value] : parameters)
    if (is_reserved(name))
      return Error{"a parameter may not be named " + name + ", which stands for the processes, a rank or a process grid",
                   "--param " + name + "=" + format_exact(value),
                   name == "p" ? "leave it out: the number of processes is recorded by itself" : "choose another name"};
  return {};
}

}  // namespace

bool is_reserved(const std::string& parameter) { return program::symbol_kinds({}).contains(parameter); }

Result<RecordRequest> record_request(const Invocation& invocation) {
  RecordRequest request;
  PARCAST_ASSIGN(request.parameters, parameters_from(invocation.values("--param")));
  PARCAST_TRY(check_parameters(request.parameters));
  if (const auto classes = invocation.value("--classes")) {
    PARCAST_TRY(check_classes(*classes));
    request.classes = *classes;
  }
  PARCAST_ASSIGN(request.settings, settings_of(invocation));
  if (const auto name = invocation.value("--name")) PARCAST_TRY(check_name(*name));
  if (invocation.has("--from")) return Error{"--from goes with --gather", "", "see parcast record -h"};
  if (const auto local = invocation.value("--local")) {
    if (local->empty()) return Error{"--local is empty", "", "for example --local /tmp"};
    request.local = fs::absolute(*local).lexically_normal();
  }
  request.program = invocation.value("--name").value_or(program_in(invocation.launch).filename().string());
  const auto output = invocation.value("--output");
  if (output && output->empty()) return Error{"--output is empty", "", "for example -o small.recording"};
  request.output = output.value_or("");
  return request;
}

}  // namespace parcast::cli
