// SPDX-License-Identifier: Apache-2.0
#include "cli/checkup.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/json.h"

namespace parcast::cli {
namespace {

int run_doctor(const Invocation& invocation) {
  std::vector<Finding> findings = check_host();
  if (!invocation.inputs.empty()) {
    const auto about = check_program(invocation.inputs[0]);
    findings.insert(findings.end(), about.begin(), about.end());
  }
  std::vector<report::Checked> rows;
  bool well = true;
  for (const Finding& finding : findings) {
    rows.push_back({finding.subject, finding.good, finding.text, finding.hint});
    well = well && finding.good;
  }
  print_result(invocation.json() ? report::checkup_to_json(rows) : checkup_text(findings));
  return well ? kAnswered : kFailed;
}

}  // namespace

const Verb& doctor_verb() {
  static const Verb verb{
      .name = "doctor",
      .summary = "check this host, its MPI and a program for recording",
      .inputs = "[PROGRAM]",
      .most_inputs = 1,
      .examples = {"parcast doctor", "parcast doctor ./app", "parcast doctor /usr/bin/lmp --json"},
      .run = run_doctor};
  return verb;
}

}  // namespace parcast::cli
