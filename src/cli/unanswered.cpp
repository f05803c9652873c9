// SPDX-License-Identifier: Apache-2.0
#include "cli/unanswered.h"

#include "base/text.h"
#include "cli/output.h"
#include "predict/hang.h"
#include "predict/prediction_file.h"
#include "report/prediction_text.h"
#include "report/words.h"

namespace parcast::cli {

int deliver_hang(const Invocation& invocation, const predict::Prediction& prediction,
                 const report::Style& style) {
  print_result(invocation.json() ? predict::to_json(prediction) + "\n"
                                 : report::prediction_text(prediction, style, false));
  return kWouldHang;
}

std::string point_text(const predict::Question& question) {
  std::string text = "p = " + std::to_string(question.point.processes);
  for (const auto& [name, value] : question.point.parameters)
    text += ", " + name + " = " + format_exact(value);
  return text;
}

std::string hang_sentence(const predict::Prediction& prediction) {
  return "at " + point_text(prediction.question) + " the run " +
         (prediction.hang->by_choice ? "may" : "would") +
         " hang: " + report::counted(static_cast<std::int64_t>(prediction.hang->waiting.size()), "rank") +
         " can never go on";
}

}  // namespace parcast::cli
