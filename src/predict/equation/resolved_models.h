// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models that answer questions at many points (model/resolved.h). Points at which the same doubts are
// removed share one.

#include <memory>
#include <optional>
#include <string>

#include "model/resolved.h"
#include "predict/equation/compiled.h"

namespace parcast::predict {

/// Safe for concurrent use. The model must outlive this.
class ResolvedModels {
 public:
  explicit ResolvedModels(const program::Model& as_built);

  /// Returns texts that are equal for points with the same resolved model.
  std::vector<std::string> keys(std::span<const program::Point* const> points) const;

 private:
  const program::Model& as_built_;
  program::Settlements settlements_;
  std::vector<double> least_;  // of each bounded expression
  std::optional<Compiled> bounded_;
};

}  // namespace parcast::predict
