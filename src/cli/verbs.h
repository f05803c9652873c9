// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per verb; each has its own file under verbs/.

#include "cli/verb.h"

namespace parcast::cli {

const Verb& record_verb();
const Verb& cc_verb();
const Verb& cxx_verb();
const Verb& fc_verb();
const Verb& show_verb();
const Verb& model_verb();
const Verb& calibrate_verb();
const Verb& machine_verb();
const Verb& predict_verb();
const Verb& sweep_verb();
const Verb& fit_verb();
const Verb& regress_verb();
const Verb& report_verb();
const Verb& ui_verb();
const Verb& plan_verb();
const Verb& explain_verb();
const Verb& report_verb();
const Verb& interpret_verb();
const Verb& simulate_verb();
const Verb& compare_verb();
const Verb& validate_verb();
const Verb& study_verb();
const Verb& store_verb();
const Verb& export_verb();
const Verb& import_verb();
const Verb& doctor_verb();
const Verb& config_verb();
const Verb& schema_verb();
const Verb& completion_verb();

}  // namespace parcast::cli
