// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <algorithm>

namespace parcast::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{
      study_verb(),   record_verb(), show_verb(),      model_verb(),     calibrate_verb(), machine_verb(),
      predict_verb(), sweep_verb(),  fit_verb(),       regress_verb(),   plan_verb(),      explain_verb(),
      report_verb(),  ui_verb(),     interpret_verb(), simulate_verb(),  compare_verb(),   validate_verb(),
      store_verb(),   export_verb(), import_verb(),    cc_verb(),        cxx_verb(),       fc_verb(),
      doctor_verb(),  config_verb(), schema_verb(),    completion_verb()};
  return table;
}

const Verb* find_verb(std::string_view name) {
  const auto at =
      std::find_if(verbs().begin(), verbs().end(), [&](const Verb& verb) { return verb.name == name; });
  return at == verbs().end() ? nullptr : &*at;
}

}  // namespace parcast::cli
