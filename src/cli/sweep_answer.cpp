// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_answer.h"

#include "base/files.h"
#include "cli/output.h"
#include "predict/prediction_file.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

std::string file_content(const std::string& file, const std::vector<predict::Prediction>& points) {
  if (file.ends_with(".svg")) return report::sweep_svg(points);
  if (file.ends_with(".csv")) return report::sweep_csv(points);
  if (file.ends_with(".json")) return predict::sweep_to_json(points) + "\n";
  return report::sweep_text(points, {});
}

}  // namespace

const std::vector<Flag>& sweep_answer_flags() {
  static const std::vector<Flag> flags{{"--output", 'o', "FILE", "file to write: table.csv, plot.svg, points.json, or a text"}, {"--csv", 0, "", "print CSV"}};
  return flags;
}

Result<void> check_sweep_answer(const Invocation& invocation) {
  if (invocation.json() && invocation.has("--csv")) return Error{"--json and --csv exclude each other", "", "give one of them; -o FILE writes another format besides"};
  return {};
}

int deliver_sweep(const Invocation& invocation, const std::vector<predict::Prediction>& points, const report::Style& style) {
  const std::string file = invocation.value("--output").value_or("");
  if (!file.empty())
    if (const auto written = write_file(file, file_content(file, points)); !written) return say_error(written.error()), kFailed;
  if (invocation.json()) {
    print_result(predict::sweep_to_json(points) + "\n");
  } else if (invocation.has("--csv")) {
    print_result(report::sweep_csv(points));
  } else if (file.empty()) {
    print_result(report::sweep_text(points, style));
  }
  if (!file.empty() && !invocation.quiet())
    print_message("parcast: " + report::counted(static_cast<std::int64_t>(points.size()), "point") + " in " + file + "\n" + report::sweep_warnings(points, {}));
  return kAnswered;
}

}  // namespace parcast::cli
