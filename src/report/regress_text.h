// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast regress`: costs with their errors and diagnostics, the errors on held-out runs, and
// predictions; as text, CSV, JSON and a picture (docs/formats/regress.md).
//
//   cost          each    error     t  share  inflation
//   operations  1.02 ns  0.01 ns   85    77%        1.3
//   messages    10.3 us  1.20 us  8.6    12%        4.1

#include <string>
#include <vector>

#include "regress/costs.h"
#include "report/style.h"

namespace parcast::report {

struct CostsAnswer {
  const regress::Costs& costs;
  std::vector<regress::Answer> predictions;
  const regress::HeldOut* left_out = nullptr;  // a held-out program, on request; the costs then exclude it
};

/// Returns the text. `all`: every run with its residual, not only the most influential ones.
std::string costs_text(const CostsAnswer& answer, const Style& style, bool all);
/// Returns, without predictions, a line per cost: name, value, standard_error, t, identified. With
/// predictions a line per prediction: program, parameters, seconds, value, and each interval's bounds.
std::string costs_csv(const CostsAnswer& answer);
/// Returns the answer as parcast.costs/1.
std::string costs_to_json(const CostsAnswer& answer);
/// Returns two plots side by side: standardised residuals against normal quantiles, and measured against
/// fitted times by program.
std::string costs_svg(const regress::Costs& costs);

}  // namespace parcast::report
