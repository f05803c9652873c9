// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes a trace as a file, NAME.trace: docs/formats/trace.md. Loading takes most of the time of a
// short simulation, so words of sequences have the same layout in the file as in memory.

#include <filesystem>
#include <string_view>

#include "trace/trace.h"

namespace parcast::trace {

/// Writes to a temporary file and renames it.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& path);

/// Reads a trace. Fails when the file is damaged, truncated, or of a newer version. Nothing is returned then,
/// since an incomplete trace would describe a different run.
Result<Trace> read_trace(const std::filesystem::path& path);

/// Reads a trace from memory; `where` names it in errors.
Result<Trace> read_trace(std::string_view bytes, const std::string& where);
bool is_trace(std::string_view first_bytes);

}  // namespace parcast::trace
