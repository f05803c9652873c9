// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/report_subjects.h"
#include "report/html/machine_page.h"
#include "report/html/page.h"

namespace parcast::cli {

int report_machines(const Invocation& invocation) {
  if (const auto fits = check_report_flags(invocation, {"--output"}, "a machine"); !fits)
    return say_error(fits.error()), kUsage;
  if (invocation.inputs.size() > 2)
    return say_error({"one machine is reported, or two over each other, and " +
                          std::to_string(invocation.inputs.size()) + " are named",
                      "", "name two of them"}),
           kUsage;
  report::html::MachineReport report;
  for (const std::string& name : invocation.inputs) {
    auto machine = load_machine(name);
    if (!machine) return say_error(machine.error()), kFailed;
    for (const predict::Warning& warning : calibration_warnings(*machine))
      report.warnings.push_back(warning.text);
    report.machines.push_back(*std::move(machine));
    add_input_file("machine", name, {"", ".machine.toml"}, report.files);
  }
  report.command = report_command(invocation);
  report.version = PARCAST_VERSION;
  return write_report(invocation, report.machines[0].name, report::html::page(document_of(report)),
                      kAnswered);
}

}  // namespace parcast::cli
