// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/interchange_answer.h"
#include "cli/opening_command.h"
#include "report/trace_text.h"

namespace parcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string export_to_json(const interchange::Exported& done, const std::string& path) {
  return text_of({{"schema", "parcast.export/1"},
                  {"path", path},
                  {"format", "otf2"},
                  {"processes", done.processes},
                  {"locations", done.locations},
                  {"events", done.events},
                  {"records", done.records},
                  {"open", opening_command("otf2", path)},
                  {"warnings", done.warnings}});
}

std::string import_to_json(const interchange::Imported& done, const std::string& path) {
  return text_of({{"schema", "parcast.import/1"},
                  {"path", path},
                  {"format", "otf2"},
                  {"processes", done.processes},
                  {"locations", done.locations},
                  {"records", done.records},
                  {"events", done.events},
                  {"complete", done.damage.empty()},
                  {"left_out", done.left_out},
                  {"warnings", done.warnings},
                  {"damage", done.damage}});
}

std::string trace_import_to_json(const trace::Trace& trace, const std::string& path,
                                 const std::vector<std::string>& warnings) {
  const report::TraceSums sums = report::sums_of(trace);
  return text_of({{"schema", "parcast.import/1"},
                  {"path", path},
                  {"format", "trace"},
                  {"processes", trace.ranks},
                  {"sends", sums.sends},
                  {"receives", sums.receives},
                  {"collectives", sums.collectives},
                  {"computes", sums.computes},
                  {"words", sums.words},
                  {"complete", true},
                  {"warnings", warnings}});
}

std::string machine_import_to_json(const machine::Machine& machine, const std::string& path) {
  return text_of({{"schema", "parcast.import/1"},
                  {"path", path},
                  {"format", "machine"},
                  {"nodes", machine.nodes},
                  {"cores_per_node", machine.cores_per_node},
                  {"complete", true},
                  {"warnings", machine.notes}});
}

std::string trace_export_to_json(const TraceExported& done, const std::string& path) {
  return text_of({{"schema", "parcast.export/1"},
                  {"path", path},
                  {"format", done.format},
                  {"processes", done.processes},
                  {"operations", done.operations},
                  {"open", opening_command(done.format, path, done.processes)},
                  {"warnings", done.warnings}});
}

std::string measurements_to_json(const fit::Measurements& measured, const std::string& verb,
                                 const std::string& path, bool partial, const std::string& open) {
  std::size_t points = 0, values = 0;
  for (const fit::Kernel& kernel : measured.kernels) {
    points += kernel.points.size();
    for (const auto& repetitions : kernel.values) values += repetitions.size();
  }
  Json json{{"schema", "parcast." + verb + "/1"},
            {"path", path},
            {"format", "measurements"},
            {"parameters", measured.parameters},
            {"kernels", measured.kernels.size()},
            {"points", points},
            {"values", values},
            {"complete", !partial}};
  if (!open.empty()) json["open"] = open;
  json["warnings"] = measured.warnings;
  return text_of(json);
}

}  // namespace parcast::cli
