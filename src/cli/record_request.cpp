// SPDX-License-Identifier: Apache-2.0
#include "cli/record_request.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "cli/default_name.h"
#include "cli/inputs.h"
#include "cli/launcher.h"
#include "model/binding.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 4> kClasses{"mpi", "io", "user", "memory"};
const std::array<std::string, 3> kBatons{"auto", "off", "always"};

Result<void> check_name(const std::string& name) {
  std::string fault;
  if (name.empty())
    fault = "is empty";
  else if (name.find('/') != std::string::npos)
    fault = "holds a /";
  else if (name[0] == '-' || name[0] == '.')
    fault = std::string("begins with ") + name[0];
  else if (name.size() > kLongestStem)
    fault = "is longer than " + std::to_string(kLongestStem) + " bytes";
  else if (file_stem(name) != name)
    fault = "holds a character that is not shown";
  if (fault.empty()) return {};
  return Error{"--name \"" + name + "\" " + fault, "",
               "recordings and models are files of that name: for example --name lj"};
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
  return Error{"--baton " + word + ": there is no such kind of baton", "",
               near.empty() ? "the kinds are auto, off and always" : near};
}

/// Returns the variables that pass flags to the recorder. Without a flag, the environment's value stays.
Result<Variables> settings_of(const Invocation& invocation) {
  Variables settings;
  if (invocation.has("--param"))
    settings.emplace_back("PARCAST_PARAM", join(invocation.values("--param"), ","));
  if (invocation.has("--keep-times")) settings.emplace_back("PARCAST_TIMES", "all");
  if (invocation.has("--stack")) settings.emplace_back("PARCAST_STACK", "on");
  if (invocation.has("--counters")) settings.emplace_back("PARCAST_COUNTERS", "on");
  if (invocation.has("--few-system-calls") && invocation.has("--counters"))
    return Error{"--counters and --few-system-calls exclude each other", "",
                 "counters need getrusage: leave one of the two out"};
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
      return Error{"a parameter may not be named " + name + ", a reserved name of processes, ranks and grids",
                   "--param " + name + "=" + format_exact(value),
                   name == "p" ? "leave it out: the number of processes is recorded by itself"
                               : "choose another name"};
  return {};
}

/// Returns the path of module 0 of the first rank that is present.
fs::path executable_of(const recording::Recording& recording) {
  for (const recording::RankRecording& rank : recording.ranks)
    if (!rank.modules.empty()) return rank.modules.front().path;
  return {};
}

/// Returns whether the first line of the file names `program` as its interpreter: "#!/usr/bin/env python3".
bool is_interpreted_by(const fs::path& script, const fs::path& program) {
  std::ifstream file(script, std::ios::binary);
  std::string line(256, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (!line.starts_with("#!")) return false;
  const auto words = split(line.substr(2, line.find('\n') - 2), ' ');
  return std::ranges::any_of(words, [&](const std::string& word) {
    std::error_code problem;
    return !word.empty() && fs::equivalent(command_file(word), program, problem);
  });
}

}  // namespace

std::string recorded_name(const RecordRequest& request, const std::vector<std::string>& launch,
                          const recording::Recording& recording) {
  const fs::path recorded = executable_of(recording), started = program_in(launch);
  std::error_code problem;
  if (request.is_named || recorded.filename().empty()) return request.program;
  if (fs::equivalent(command_file(started.string()), recorded, problem) ||
      is_interpreted_by(started, recorded))
    return request.program;
  return recorded.filename().string();
}

bool is_reserved(const std::string& parameter) {
  return program::symbol_kinds({}).contains(parameter);
}

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
  request.is_named = invocation.has("--name");
  request.program = invocation.value("--name").value_or(program_in(invocation.launch).filename().string());
  const auto output = invocation.value("--output");
  if (output && output->empty()) return Error{"--output is empty", "", "for example -o small.recording"};
  request.output = output.value_or("");
  return request;
}

}  // namespace parcast::cli
