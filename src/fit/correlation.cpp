// SPDX-License-Identifier: Apache-2.0
#include "fit/correlation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/dot.h"
#include "fit/wide.h"

namespace parcast::fit {

Correlation::Correlation(const Points& points) {
  for (std::size_t j = 0; !points.empty() && j < points[0].size(); ++j) {
    double smallest = INFINITY;
    bool zero = false;
    for (const auto& point : points) {
      if (point[j] > 0) smallest = std::min(smallest, point[j]);
      zero = zero || point[j] <= 0;
    }
    offset_.push_back(zero && std::isfinite(smallest) ? smallest : 0);
  }
}

double Correlation::operator()(const Relation& relation, std::span<const double> a,
                               std::span<const double> b) const {
  const double unit = (relation.smooth ? std::numbers::sqrt3 : 1) / relation.range;
  double sum = 0, product = 1;
  for (std::size_t j = 0; j < offset_.size(); ++j) {
    const double x = a[j] + offset_[j], y = b[j] + offset_[j];
    if (x == y || x <= 0 || y <= 0) continue;
    const double distance = unit * std::fabs(std::log2(x / y));
    sum += distance;
    if (relation.smooth) product *= 1 + distance;
  }
  return product * std::exp(-sum);
}

std::vector<double> correlations(const Points& points, const Correlation& correlation,
                                 const Relation& relation) {
  const std::size_t n = points.size();
  std::vector<double> out(n * n, 1.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      out[i * n + j] = out[j * n + i] = correlation(relation, points[i], points[j]);
  return out;
}

double Correlation::doublings(std::size_t argument, double coordinate) const {
  const double x = coordinate + offset_[argument];
  return x > 0 ? std::log2(x) : 0;
}

double Correlation::coordinate(std::size_t argument, double doublings) const {
  return std::exp2(doublings) - offset_[argument];
}

Whitening::Whitening(std::span<const double> correlation, std::span<const double> noise, double share)
    : share_(share), size_(noise.size()) {
  factorise(correlation, noise);
}

Whitening::Whitening(std::shared_ptr<const Cells> cells, std::span<const double> correlation,
                     std::span<const double> noise, double share)
    : share_(share), size_(noise.size()), cells_(cells->single() ? nullptr : std::move(cells)) {
  if (by_rows()) {
    factorise(correlation, noise);
  } else {
    factorise(correlation, take_means(noise));
  }
}

// Returns the noise of the cells' means, in units of one point's noise.
std::vector<double> Whitening::take_means(std::span<const double> noise) {
  std::vector<double> weight(cells_->count(), 0.0);
  first_.resize(cells_->count());
  gain_.resize(size_);
  scale_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t cell = cells_->of[i];
    const double before = weight[cell], own = 1 / noise[i];
    weight[cell] += own;
    gain_[i] = own / weight[cell];
    if (before == 0) {
      first_[cell] = i;
      continue;
    }
    const double variance = (1 - share_) * (noise[i] + 1 / before);
    scale_[i] = 1 / std::sqrt(variance);
    log_determinant_ += 0.5 * std::log(variance);
  }
  for (double& each : weight) each = 1 / each;
  return weight;
}

PARCAST_WIDE void Whitening::factorise(std::span<const double> correlation, std::span<const double> noise) {
  const std::size_t n = noise.size();
  triangle_.resize(share_ == 0 ? 0 : n * (n + 1) / 2);
  inverse_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = triangle_.data() + i * (i + 1) / 2;
    double diagonal = (1 - share_) * noise[i];
    if (share_ != 0) {
      for (std::size_t j = 0; j < i; ++j)
        row[j] =
            (share_ * correlation[i * n + j] - dot(row, triangle_.data() + j * (j + 1) / 2, j)) * inverse_[j];
      // The noise's share keeps the matrix well away from singularity.
      diagonal = std::max(diagonal + share_ * correlation[i * n + i] - dot(row, row, i), 1e-12);
      row[i] = std::sqrt(diagonal);
    }
    inverse_[i] = 1 / std::sqrt(diagonal);
    log_determinant_ += 0.5 * std::log(diagonal);
  }
}

void Whitening::apply(std::span<double> x) const {
  double* start = x.data();
  apply_rows({&start, 1}, 0, size_);
}

void Whitening::apply_each(std::span<double> columns) const {
  std::array<double*, 16> starts;
  for (std::size_t done = 0, all = columns.size() / size_; done < all;) {
    const std::size_t some = std::min(starts.size(), all - done);
    for (std::size_t c = 0; c < some; ++c) starts[c] = columns.data() + (done + c) * size_;
    apply_rows(std::span(starts).first(some), 0, size_);
    done += some;
  }
}

void Whitening::apply_rows(std::span<double* const> columns, std::size_t first, std::size_t last) const {
  if (by_rows()) return rows_of_triangle(columns, first, last);
  for (double* x : columns) whiten_cells(x);
}

void Whitening::whiten_cells(double* x) const {
  std::vector<double> means(first_.size(), 0.0);
  for (std::size_t i = 0; i < size_; ++i) {
    double& mean = means[cells_->of[i]];
    const double distance = x[i] - mean;
    mean += gain_[i] * distance;
    x[i] = scale_[i] * distance;
  }
  apply_to_cells(means);
  for (std::size_t c = 0; c < means.size(); ++c) x[first_[c]] = means[c];
}

PARCAST_WIDE void Whitening::rows_of_triangle(std::span<double* const> columns, std::size_t first,
                                              std::size_t last) const {
  if (share_ == 0) {
    for (double* x : columns)
      for (std::size_t i = first; i < last; ++i) x[i] *= inverse_[i];
    return;
  }
  // Row by row through all columns: within a column each entry depends on the one before.
  for (std::size_t i = first; i < last; ++i) {
    const double* row = triangle_.data() + i * (i + 1) / 2;
    std::size_t c = 0;
    for (; c + 4 <= columns.size(); c += 4) {
      double* const* x = columns.data() + c;
      double products[4];
      dots(row, x, i, products);
      for (int k = 0; k < 4; ++k) x[k][i] = (x[k][i] - products[k]) * inverse_[i];
    }
    for (; c < columns.size(); ++c) columns[c][i] = (columns[c][i] - dot(row, columns[c], i)) * inverse_[i];
  }
}

std::vector<double> Whitening::of_cells(std::span<const double> whitened) const {
  if (share_ == 0) return {};
  if (!cells_) return {whitened.begin(), whitened.end()};
  std::vector<double> out;
  out.reserve(first_.size());
  for (const std::size_t i : first_) out.push_back(whitened[i]);
  return out;
}

void Whitening::apply_to_cells(std::span<double> x) const {
  double* start = x.data();
  rows_of_triangle({&start, 1}, 0, x.size());
}

PARCAST_WIDE void Whitening::apply_transposed(std::span<double> x) const {
  for (std::size_t i = x.size(); i-- > 0;) {
    x[i] *= inverse_[i];
    if (share_ == 0) continue;
    const double* row = triangle_.data() + i * (i + 1) / 2;
    for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

}  // namespace parcast::fit
