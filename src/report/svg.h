// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by plots: the frame, text and lines, colours that colour-blind readers can distinguish (Okabe and
// Ito 2008), and an axis.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "report/words.h"

namespace parcast::report::svg {

inline constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// A logarithmic axis; linear if some value is not positive.
class Axis {
 public:
  Axis(double lowest, double highest, double from, double to) : log_(lowest > 0), from_(from), to_(to) {
    low_ = scale(lowest), high_ = scale(highest);
    if (low_ == high_) low_ -= 0.5, high_ += 0.5;
  }
  double place(double value) const { return from_ + (scale(value) - low_) / (high_ - low_) * (to_ - from_); }

  /// Returns 1, 2 and 5 times powers of ten within the axis; only powers of ten over more than three decades.
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (!log_) {
      for (int i = 0; i <= 4; ++i) out.push_back(low_ + i * (high_ - low_) / 4);
      return out;
    }
    const bool wide = high_ - low_ > 3;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(std::ceil(high_));
         ++decade)
      for (const double step : {1.0, 2.0, 5.0}) {
        const double value = step * std::pow(10.0, decade);
        if ((step == 1 || !wide) && scale(value) >= low_ - 1e-9 && scale(value) <= high_ + 1e-9)
          out.push_back(value);
      }
    return out;
  }

 private:
  double scale(double value) const { return log_ ? std::log10(value) : value; }

  bool log_;
  double low_ = 0, high_ = 1, from_, to_;
};

inline std::string text_at(double x, double y, const std::string& anchor, const std::string& text,
                           const std::string& more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         xml(text) + "</text>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, const std::string& kind) {
  return "<line class=\"" + kind + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" +
         number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
}

/// Returns everything before the plot's own shapes; the caller closes it with </svg>.
inline std::string opening(double width, double height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " + number(height) +
         "\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n<style>.grid{stroke:#dddddd}.axis{stroke:#333333}</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
}

}  // namespace parcast::report::svg
