// SPDX-License-Identifier: Apache-2.0
#pragma once
// The closed form in a page: data as JSON and functions as JavaScript (docs/formats/report_page.md). The
// page's program evaluates them at other sizes, process counts and machine costs, without a server.

#include <map>
#include <string>

#include "predict/equation/exported.h"

namespace parcast::report::html {

/// Range of a slider.
struct SliderRange {
  double low = 0, high = 0;
  bool whole = false;
};

struct Live {
  std::string data;       // JSON
  std::string functions;  // JavaScript, `parcastEquation = [[seconds, details], ...]` by case
};

Live live(const predict::ExportedEquation& equation, const predict::Prediction& prediction,
          const std::map<std::string, SliderRange>& sliders);

/// Returns ranges from the smallest recorded to four times the largest value; both include the asked one.
std::map<std::string, SliderRange> slider_ranges(const program::Model& model,
                                                 const predict::Question& question);

}  // namespace parcast::report::html
