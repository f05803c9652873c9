// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace as a file, NAME.trace: docs/formats/trace.md. Read at the speed of memory, since loading is most of a short
// simulation: words of sequences stand in the file as they stand in memory.

#include <filesystem>
#include <string_view>

#include "trace/trace.h"

namespace parcast::trace {

/// Written to a temporary and renamed.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& path);

/// An error where the file is damaged, cut short, or of a newer version: nothing of it is taken, since a trace without some
/// of its parts would say something else.
Result<Trace> read_trace(const std::filesystem::path& path);

/// From memory; `where` names it in errors.
Result<Trace> read_trace(std::string_view bytes, const std::string& where);
bool is_trace(std::string_view first_bytes);

}  // namespace parcast::trace
