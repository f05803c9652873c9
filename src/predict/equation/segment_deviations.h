// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deviations of segments' costs at many points. Points often share the arguments of a segment, for example
// where its work depends on N and not on p. Each set of arguments is computed once.

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "model/model.h"
#include "predict/forward_evidence.h"
#include "predict/intervals.h"

namespace parcast::predict {

/// For one level. The model must outlive this. Safe for concurrent use.
class SegmentDeviations {
 public:
  SegmentDeviations(const program::Model& model, double level)
      : model_(model), level_(level), forward_(model), of_segment_(model.segments.size()) {}

  /// Returns cost_deviation() of a segment.
  RelativeDeviation at(std::size_t segment, std::span<const double> arguments,
                       const Unvaried& unvaried) const;

  /// Returns the largest half width of all segments together that the forward checks leave, as a logarithm;
  /// nothing: they leave every width.
  std::optional<double> most_together(const program::Point& point) const {
    return forward_.half_width(point, level_);
  }

  const statistics::StudentQuantiles& quantiles() const { return quantiles_; }

 private:
  struct OfSegment {
    std::mutex guard;
    std::map<std::vector<double>, RelativeDeviation> known;
  };
  const program::Model& model_;
  double level_;
  ForwardEvidence forward_;
  statistics::StudentQuantiles quantiles_;
  mutable std::vector<OfSegment> of_segment_;
};

}  // namespace parcast::predict
