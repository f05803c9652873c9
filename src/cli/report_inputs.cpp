// SPDX-License-Identifier: Apache-2.0
#include "cli/report_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/csv.h"
#include "base/files.h"
#include "base/text.h"
#include "base/vary.h"
#include "cli/inputs.h"
#include "cli/launcher.h"
#include "recording/program_calls.h"
#include "store/measurements.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kFurther = 4;  // times the asked and recorded process counts
constexpr int kLinesAround = 6;
constexpr std::uintmax_t kLargestSource = 8 << 20;  // bytes

constexpr std::array<std::string_view, 20> kSourceEndings{
    ".c", ".cc",  ".cpp", ".cxx", ".h",   ".hh",  ".hpp", ".hxx", ".inc", ".inl",
    ".f", ".f77", ".f90", ".f95", ".f03", ".f08", ".F",   ".F90", ".cu",  ".program"};

bool is_source(const fs::path& path) {
  return std::ranges::find(kSourceEndings, path.extension().string()) != kSourceEndings.end();
}

/// Returns the file in the folder, by its path there or by its name alone.
std::optional<fs::path> source_file(const std::string& file, const fs::path& folder) {
  std::error_code problem;
  const fs::path root = fs::canonical(folder, problem);
  if (problem) return std::nullopt;
  for (const fs::path& candidate : {folder / file, folder / fs::path(file).filename()}) {
    const fs::path path = fs::canonical(candidate, problem);
    if (problem || !is_source(path) || !fs::is_regular_file(path, problem)) continue;
    const auto [end, rest] = std::ranges::mismatch(root, path);
    if (end == root.end() && fs::file_size(path, problem) <= kLargestSource)
      return candidate.lexically_normal();
  }
  return std::nullopt;
}

struct Place {
  std::string file;
  int first = 0, last = 0;
};

/// Reads "swe.c:120" and "swe.c:120-131".
std::optional<Place> place_in(const std::string& one) {
  const auto colon = one.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const std::vector<std::string> numbers = split(one.substr(colon + 1), '-');
  const auto first = parse_integer(numbers.front()), last = parse_integer(numbers.back());
  if (!first || !last || *first < 1 || *first > 10'000'000) return std::nullopt;
  return Place{one.substr(0, colon), static_cast<int>(*first),
               static_cast<int>(std::clamp(*last, *first, *first + 40))};
}

std::optional<report::html::Excerpt> lines_at(const std::string& place,
                                              const std::vector<std::string>& folders) {
  const auto at = place_in(place);
  if (!at) return std::nullopt;
  for (const std::string& folder : folders) {
    const auto path = source_file(at->file, folder);
    const auto content = path ? read_file(*path) : Result<std::string>(Error{});
    if (!content) continue;
    const std::vector<std::string> lines = split(*content, '\n');
    if (at->first > static_cast<int>(lines.size())) continue;
    report::html::Excerpt out{path->string(), std::max(1, at->first - kLinesAround), at->first, at->last, {}};
    const int end = std::min(static_cast<int>(lines.size()), at->last + kLinesAround);
    for (int line = out.first; line <= end; ++line)
      out.lines.push_back(lines[static_cast<std::size_t>(line - 1)]);
    return out;
  }
  return std::nullopt;
}

bool same_parameters(const std::map<std::string, double>& run, const program::Point& asked) {
  return std::ranges::all_of(asked.parameters, [&](const auto& parameter) {
    const auto found = run.find(parameter.first);
    return found != run.end() && found->second == parameter.second;
  });
}

}  // namespace

Result<std::vector<std::int32_t>> charted_processes(const Invocation& invocation, const program::Model& model,
                                                    std::int32_t asked) {
  std::set<std::int32_t> out{asked};
  for (const std::string& word : invocation.values("--vary")) {
    const auto variation = parse_variation(word);
    if (!variation) return Error{variation.error().what, "--vary", variation.error().hint};
    if (variation->name != "p")
      return Error{"the charts of a report go over p, and --vary names " + variation->name, "--vary",
                   "for example --vary p=1,2,4,...,64"};
    if (variation->values.size() > 64)
      return Error{"more than 64 process counts are asked for", "--vary", "vary fewer"};
    for (const double value : variation->values) {
      PARCAST_ASSIGN(const std::int32_t p, process_count(value));
      out.insert(p);
    }
  }
  if (invocation.has("--vary")) return std::vector(out.begin(), out.end());
  return usual_processes(model, asked);
}

std::vector<std::int32_t> usual_processes(const program::Model& model, std::int32_t asked) {
  std::set<std::int32_t> out{asked};
  std::int64_t largest = asked;
  if (model.written_in.empty())
    for (const std::int32_t p : model.processes) out.insert(p), largest = std::max<std::int64_t>(largest, p);
  for (std::int64_t p = 1; p <= kFurther * largest && p <= (1 << 24); p *= 2)
    out.insert(static_cast<std::int32_t>(p));
  return std::vector(out.begin(), out.end());
}

std::vector<report::html::MeasuredRun> recorded_runs(const program::Model& model,
                                                     const program::Point& point) {
  std::vector<report::html::MeasuredRun> out;
  for (const program::Source& source : model.sources)
    if (source.seconds > 0 && !source.damaged && !source.oversubscribed &&
        same_parameters(source.parameters, point))
      out.push_back({source.processes, source.seconds, true});
  return out;
}

Result<MeasuredRuns> measured_runs(const Invocation& invocation, const program::Model& model,
                                   const program::Point& point) {
  MeasuredRuns out{recorded_runs(model, point)};
  const auto file = invocation.value("--against");
  if (!file) return out;
  PARCAST_ASSIGN(const std::string content, read_file(*file));
  PARCAST_ASSIGN(const Csv csv, parse_csv(content, *file));
  std::vector<std::string> names;
  for (const program::Parameter& parameter : model.parameters) names.push_back(parameter.name);
  PARCAST_ASSIGN(const store::MeasuredRuns runs, store::measured_runs(csv, names));
  for (const store::MeasuredRun& run : runs.runs) {
    if (same_parameters(run.measurement.point.parameters, point))
      out.runs.push_back({run.measurement.point.processes, run.measurement.seconds, false});
    else
      ++out.elsewhere;
  }
  return out;
}

std::optional<report::html::Excerpt> excerpt(const std::string& place,
                                             const std::vector<std::string>& folders) {
  constexpr std::string_view kBetween = " - ";  // of two places, the first and last of a stretch
  const auto between = place.find(kBetween);
  auto found = lines_at(place.substr(0, between), folders);
  return found || between == std::string::npos ? found
                                               : lines_at(place.substr(between + kBetween.size()), folders);
}

std::vector<std::string> files_of_program(const std::string& name, std::vector<std::string> folders) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(name).filename();  // a model may come from anybody
  if (file.empty()) return {};
  folders.emplace_back(".");
  std::vector<std::string> out;
  for (const std::string& folder : folders) out.push_back((fs::path(folder) / file).lexically_normal());
  out.push_back(command_file(file.string()).string());
  return out;
}

std::optional<report::html::ProgramFile> program_file(const std::string& build,
                                                      const std::vector<std::string>& files) {
  std::error_code problem;
  for (const std::string& file : files) {
    if (build.empty() || !std::filesystem::is_regular_file(file, problem)) continue;
    if (recording::build_id_of(file) != build) continue;
    const auto all = recording::read_program_calls(file);
    if (all) return report::html::ProgramFile{file, recording::without_system(*all)};
  }
  return std::nullopt;
}

}  // namespace parcast::cli
