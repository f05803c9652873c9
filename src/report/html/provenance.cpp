// SPDX-License-Identifier: Apache-2.0
// The warnings in full, and what the report was made from.
#include "base/text.h"
#include "report/html/files.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

std::string files_table(const std::vector<InputFile>& files) {
  Table table("Files", {{"file"}, {"path"}, {"SHA-256"}});
  for (const InputFile& file : files)
    table.add({plain(file.role),
               plain(file.path),
               {"<code>" + text(file.digest.substr(0, 16)) + "…</code>", file.digest}});
  return table.empty() ? "" : table.html();
}

std::string recordings(const program::Model& model) {
  Table table(
      "Recordings",
      {{"recording"}, {"processes", true}, {"parameters"}, {"time", true}, {"MPI library"}, {"remarks"}});
  for (const program::Source& source : model.sources) {
    std::vector<std::string> remarks;
    if (source.oversubscribed) remarks.push_back("more processes than cores");
    if (source.reserved) remarks.push_back("a share of a core for each process");
    if (source.damaged) remarks.push_back("damaged");
    if (source.slowed) remarks.push_back("disturbed: in no cost");
    table.add({{"<code>" + text(source.digest.substr(0, 12)) + "</code>", source.digest},
               plain(std::to_string(source.processes)),
               plain(parameters_text(source.parameters)),
               seconds_cell(source.seconds),
               plain(source.mpi_library),
               plain(join(remarks, ", "))});
  }
  return table.empty()
             ? ""
             : folded(counted(static_cast<std::int64_t>(model.sources.size()), "recording"), table.html());
}

}  // namespace

std::string warnings(const Report& report) {
  std::string items;
  for (const predict::Warning& warning : report.prediction.warnings)
    items += "<li>" + text(warning.text) +
             (warning.hint.empty() ? "" : "<br><span class=\"hint\">" + text(warning.hint) + "</span>") +
             "</li>\n";
  return items.empty() ? "" : element("ul", "warnings", items);
}

std::string provenance_html(const std::string& version, const std::string& engine, const std::string& command,
                            const std::vector<InputFile>& files) {
  return "<p>Made by parcast " + text(version) + (engine.empty() ? "" : " with the engine " + text(engine)) +
         ":</p>\n<pre tabindex=\"0\" class=\"command\">" + text(command) + "</pre>\n" + files_table(files);
}

std::string provenance(const Report& report) {
  const std::string recorded_on =
      report.model.recorded_on.empty() ? "" : "<p>Recorded on " + text(report.model.recorded_on) + ".</p>\n";
  return provenance_html(report.version, report.prediction.engine, report.command, report.files) +
         recorded_on + recordings(report.model);
}

}  // namespace parcast::report::html
