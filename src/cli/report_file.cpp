// SPDX-License-Identifier: Apache-2.0
#include "cli/report_file.h"

#include "base/files.h"
#include "base/shell.h"
#include "cli/default_name.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/html/page.h"

namespace parcast::cli {
namespace {

/// Returns the file to write.
Result<std::string> target(const Invocation& invocation, const std::string& program) {
  if (const auto given = invocation.value("--output")) return *given;
  const std::string name = default_name(program, ".html");
  if (const auto there = read_file(name); there && !report::html::is_page(*there))
    return Error{name + " exists and is no report of parcast", "", "name another file with -o"};
  return name;
}

}  // namespace

std::string report_command(const Invocation& invocation) {
  std::string out = "parcast report";
  for (const std::string& input : invocation.inputs) out += " " + shell_quoted(input);
  for (const Flag& flag : report_verb().flags) {
    if (!invocation.has(flag.name)) continue;
    for (const std::string& value : invocation.values(flag.name))
      out += " " + flag.name + (flag.value.empty() ? "" : " " + shell_quoted(value));
  }
  return out;
}

void add_input_file(const std::string& role, const std::string& name, const std::vector<std::string>& endings,
                    std::vector<report::html::InputFile>& files) {
  for (const std::string& ending : endings)
    if (const auto digest = digest_of_file(name + ending); digest)
      return files.push_back({role, name + ending, *digest});
}

std::vector<std::string> source_folders(const Invocation& invocation) {
  std::vector<std::string> folders = invocation.values("--source");
  if (folders.empty()) folders = {"."};
  return folders;
}

int write_report(const Invocation& invocation, const std::string& program, const std::string& page,
                 int code) {
  const auto file = target(invocation, program);
  if (!file) return say_error(file.error()), kFailed;
  if (const auto written = write_file(*file, page); !written) return say_error(written.error()), kFailed;
  if (!invocation.quiet()) print_message("parcast: the report is in " + *file + "\n");
  return code;
}

}  // namespace parcast::cli
