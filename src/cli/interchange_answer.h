// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `export` and `import`, as text and as JSON (docs/formats/otf2.md).

#include <string>
#include <vector>

#include "fit/measurements.h"
#include "interchange/otf2.h"
#include "machine/machine.h"
#include "trace/trace.h"

namespace parcast::cli {

std::string export_text(const interchange::Exported& done, const std::string& path);
std::string export_to_json(const interchange::Exported& done, const std::string& path);
std::string import_text(const interchange::Imported& done, const std::string& path);
std::string import_to_json(const interchange::Imported& done, const std::string& path);
/// Describes another tool's trace that was imported as NAME.trace, or a NAME.trace that was exported.
std::string trace_import_to_json(const trace::Trace& trace, const std::string& path,
                                 const std::vector<std::string>& warnings);
/// Describes another tool's machine that was imported as NAME.machine.toml.
std::string machine_import_to_json(const machine::Machine& machine, const std::string& path);
struct TraceExported {
  std::string format;
  std::int32_t processes = 0;
  std::uint64_t operations = 0;
  std::vector<std::string> warnings;
};
std::string trace_export_text(const TraceExported& done, const std::string& path);
std::string trace_export_to_json(const TraceExported& done, const std::string& path);
/// Describes measured values that were written to another file; `verb` is import or export. `open`: the
/// command that opens the file; may be empty.
std::string measurements_to_json(const fit::Measurements& measured, const std::string& verb,
                                 const std::string& path, bool partial, const std::string& open);

}  // namespace parcast::cli
