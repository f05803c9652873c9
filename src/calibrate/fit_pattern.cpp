// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "calibrate/fit_corrections.h"
#include "calibrate/segments.h"
#include "machine/pattern_cost.h"
#include "statistics/least_squares.h"

namespace parcast::calibrate {
namespace {

using machine::CostPoint;
using machine::Parameter;
using machine::PatternCost;
using recording::Pattern;

constexpr double kLeastNoise = 0.005;
/// Another growth replaces the pattern's own only if its error at left-out process counts is smaller by this
/// factor.
constexpr double kClearlyBetter = 0.8;
/// From this size on, the usual algorithms of reductions and broadcasts move a number of bytes that hardly
/// grows with p.
constexpr double kLargeMessage = 32768;
constexpr std::size_t kSizesOfALine = 3;
/// A term whose share of every point is smaller is rounding error.
constexpr double kNothing = 1e-9;

/// Returns the growth of the table's usual algorithm. Besides collectives there are accesses that end in a
/// fence, which is a barrier, and operations between partners only.
std::string_view usual_growth(const PatternCost& table) {
  if (table.name.ends_with("-fence")) return "ceil_log2";
  switch (table.pattern) {
    case Pattern::gather:
    case Pattern::scatter:
    case Pattern::allgather:
    case Pattern::alltoall:
    case Pattern::reduce_scatter:
      return "peers";
    case Pattern::neighbourhood:
    case Pattern::none:
      return "1";
    default:
      return "ceil_log2";
  }
}

/// Returns whether the bytes are the entire buffer of a block pattern, whose transfer time hardly grows with
/// p.
bool whole_buffer(Pattern pattern) {
  return pattern == Pattern::alltoall || pattern == Pattern::reduce_scatter;
}

struct Coefficients {
  double startup = 0, startup_growth = 0, per_byte = 0, per_byte_growth = 0;
  double errors[4] = {0, 0, 0, 0};
  double at(double bytes, double f) const {
    return startup + startup_growth * f + bytes * (per_byte + per_byte_growth * f);
  }
};

/// Returns the largest share of a column's term in any response.
double share_of(const statistics::Matrix& design, std::size_t column, double coefficient,
                const std::vector<double>& response) {
  double largest = 0;
  for (std::size_t i = 0; i < design.rows; ++i)
    largest = std::max(largest, coefficient * design(i, column) / response[i]);
  return largest;
}

/// Fits as many points as there are columns. No residuals remain, so the errors of the coefficients are those
/// of the points alone.
Result<statistics::Fit> fit_through(const statistics::Matrix& design, const std::vector<double>& response,
                                    const std::vector<double>& weights) {
  statistics::Matrix twice(2 * design.rows, design.columns);
  std::vector<double> responses;
  statistics::LeastSquaresOptions options;
  for (std::size_t i = 0; i < twice.rows; ++i) {
    for (std::size_t c = 0; c < design.columns; ++c) twice(i, c) = design(i / 2, c);
    responses.push_back(response[i / 2]), options.weights.push_back(weights[i / 2] / 2);
  }
  PARCAST_ASSIGN(statistics::Fit out, statistics::fit_nonnegative(twice, responses, options));
  for (std::size_t c = 0; c < design.columns; ++c) {
    double squares = 0;
    for (std::size_t k = 0; k < out.factor.columns; ++k) squares += out.factor(c, k) * out.factor(c, k);
    out.standard_errors[c] = std::sqrt(squares);
  }
  return out;
}

/// Relative least squares with coefficients >= 0: two columns with f = "1", otherwise four.
std::optional<Coefficients> fit(const std::vector<CostPoint>& points, std::string_view growth) {
  const bool grows = growth != "1";
  const bool sized = std::any_of(points.begin(), points.end(), [](const auto& p) { return p.bytes > 0; });
  std::vector<int> columns{0};  // 0: 1, 1: f, 2: m, 3: m f
  if (grows) columns.push_back(1);
  if (sized) columns.push_back(2);
  if (sized && grows) columns.push_back(3);
  statistics::Matrix design(points.size(), columns.size());
  std::vector<double> response;
  statistics::LeastSquaresOptions options;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double f = machine::growth_value(growth, points[i].processes);
    const double all[4] = {1, f, points[i].bytes, points[i].bytes * f};
    for (std::size_t c = 0; c < columns.size(); ++c) design(i, c) = all[columns[c]];
    response.push_back(points[i].seconds);
    options.weights.push_back(std::pow(relative_error(points[i]) * points[i].seconds, -2));
  }
  auto solved = statistics::fit_nonnegative(design, response, options);
  if (!solved && points.size() == columns.size()) solved = fit_through(design, response, options.weights);
  if (!solved) return std::nullopt;
  Coefficients out;
  double* const values[4] = {&out.startup, &out.startup_growth, &out.per_byte, &out.per_byte_growth};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!(share_of(design, c, solved->coefficients[c], response) > kNothing)) continue;
    *values[columns[c]] = solved->coefficients[c];
    const double error = solved->standard_errors[c];
    out.errors[columns[c]] = std::isfinite(error) ? error : 0;
  }
  return out;
}

std::vector<std::int32_t> process_counts(const std::vector<CostPoint>& points) {
  std::set<std::int32_t> counts;
  for (const CostPoint& point : points) counts.insert(point.processes);
  return {counts.begin(), counts.end()};
}

/// Returns the root mean square relative error at process counts that are left out, one at a time.
double validation_error(const std::vector<CostPoint>& points, std::string_view growth) {
  double sum = 0;
  int count = 0;
  for (const std::int32_t out : process_counts(points)) {
    std::vector<CostPoint> rest;
    for (const CostPoint& point : points)
      if (point.processes != out) rest.push_back(point);
    const auto fitted = fit(rest, growth);
    if (!fitted) return std::numeric_limits<double>::infinity();
    for (const CostPoint& point : points) {
      if (point.processes != out) continue;
      const double value = fitted->at(point.bytes, machine::growth_value(growth, out));
      sum += std::pow(value > 0 ? std::log(value / point.seconds) : 10, 2);
      ++count;
    }
  }
  return std::sqrt(sum / count);
}

std::string choose_growth(const std::vector<CostPoint>& points, const PatternCost& table) {
  std::string best(usual_growth(table));
  if (process_counts(points).size() < 3) return best;
  double least = validation_error(points, best) * kClearlyBetter;
  if (!std::isfinite(least)) return best;  // the remaining process counts do not determine the growth
  for (const std::string_view growth : machine::kGrowthNames)
    if (const double error = validation_error(points, growth); error < least) best = growth, least = error;
  return best;
}

/// Fits the usual growth to a single process count.
Coefficients assume_growth(const std::vector<CostPoint>& points, Pattern pattern, std::string_view growth,
                           double from) {
  std::vector<Observation> data;
  for (const CostPoint& point : points)
    data.push_back({point.bytes, point.seconds, relative_error(point), point.processes});
  const Line line = fit_line(data, kLeastNoise);
  const double f = machine::growth_value(growth, points.front().processes);
  Coefficients out;
  const bool flat = growth == "1", flat_transfer = flat || whole_buffer(pattern) ||
                                                   (growth == "ceil_log2" && from >= kLargeMessage);
  (flat ? out.startup : out.startup_growth) = flat ? line.startup : line.startup / f;
  out.errors[flat ? 0 : 1] = flat ? line.startup_error : line.startup_error / f;
  (flat_transfer ? out.per_byte : out.per_byte_growth) = flat_transfer ? line.per_byte : line.per_byte / f;
  out.errors[flat_transfer ? 2 : 3] = flat_transfer ? line.per_byte_error : line.per_byte_error / f;
  return out;
}

/// Returns the points without calls of no bytes, if enough other sizes remain for a line. Libraries often
/// complete such calls without a message.
std::vector<CostPoint> of_messages(const std::vector<CostPoint>& points) {
  std::set<double> sizes;
  std::vector<CostPoint> out;
  for (const CostPoint& point : points)
    if (point.bytes > 0) sizes.insert(point.bytes), out.push_back(point);
  return sizes.size() < kSizesOfALine ? points : out;
}

double median_of(std::vector<double> values) {
  return values.empty() ? 0 : statistics::median(values);
}

PatternCost::Piece make_piece(const std::vector<CostPoint>& points, const PatternCost& table, double from) {
  PatternCost::Piece piece;
  piece.from_bytes = from;
  const std::size_t counts = process_counts(points).size();
  piece.growth = choose_growth(points, table);
  auto fitted = counts > 1 ? fit(points, piece.growth) : std::nullopt;
  const Coefficients c = fitted ? *fitted : assume_growth(points, table.pattern, piece.growth, from);
  const auto samples = static_cast<std::int64_t>(points.size());
  // One process count cannot show a growth, so it is an assumption.
  const Origin grown = counts > 1 ? Origin::measured : Origin::assumed;
  const auto set = [&](Parameter& parameter, double value, double error, Origin origin) {
    if (value > 0) parameter = {value, error, samples, origin};
  };
  set(piece.startup, c.startup, c.errors[0], Origin::measured);
  set(piece.startup_growth, c.startup_growth, c.errors[1], grown);
  set(piece.per_byte, c.per_byte, c.errors[2], Origin::measured);
  set(piece.per_byte_growth, c.per_byte_growth, c.errors[3], grown);
  return piece;
}

void fit_single(PatternCost& pattern, const std::vector<CostPoint>& points) {
  if (points.empty()) return;
  std::vector<Observation> data;
  for (const CostPoint& point : points)
    data.push_back({point.bytes, point.seconds, relative_error(point), 1});
  const Line line = fit_line(data, kLeastNoise);
  const auto samples = static_cast<std::int64_t>(points.size());
  pattern.single_startup = {line.startup, line.startup_error, samples, Origin::measured};
  if (line.per_byte > 0)
    pattern.single_per_byte = {line.per_byte, line.per_byte_error, samples, Origin::measured};
}

void set_pieces(PatternCost& pattern, const std::vector<CostPoint>& points,
                const std::vector<double>& breaks) {
  pattern.pieces.clear();
  for (std::size_t k = 0; k <= breaks.size(); ++k) {
    const double from = k == 0 ? 0 : breaks[k - 1];
    std::vector<CostPoint> part;
    for (const CostPoint& point : points)
      if (point.bytes >= from && (k == breaks.size() || point.bytes < breaks[k])) part.push_back(point);
    pattern.pieces.push_back(make_piece(part, pattern, from));
  }
}

/// Sets the remaining misfit of each piece, and the errors of its coefficients. These are scaled to the
/// scatter of the points about pieces and corrections, instead of pieces alone.
void judge_pieces(PatternCost& pattern) {
  const std::vector<LeftOut> points = left_out(pattern);
  const bool messages_tell = of_messages(pattern.points).size() < pattern.points.size();
  for (std::size_t k = 0; k < pattern.pieces.size(); ++k) {
    PatternCost::Piece& piece = pattern.pieces[k];
    std::vector<double> misfits;
    double before = 0, after = 0;
    for (const LeftOut& point : points) {
      if ((point.bytes == 0 && messages_tell) || point.bytes < piece.from_bytes ||
          (k + 1 < pattern.pieces.size() && point.bytes >= pattern.pieces[k + 1].from_bytes))
        continue;
      misfits.push_back(std::fabs(point.by_others));
      before += point.by_pieces * point.by_pieces, after += point.by_others * point.by_others;
    }
    piece.relative_error = median_of(misfits);
    if (!(after < before)) continue;
    for (Parameter* parameter :
         {&piece.startup, &piece.startup_growth, &piece.per_byte, &piece.per_byte_growth})
      parameter->standard_error *= std::sqrt(after / before);
  }
}

}  // namespace

double relative_error(const CostPoint& point) {
  return std::hypot(kLeastNoise, point.seconds > 0 ? point.standard_error / point.seconds : 0);
}

std::string fit_pattern(PatternCost& pattern) {
  std::vector<CostPoint> single, several;
  for (const CostPoint& point : pattern.points)
    if (point.seconds > 0) (point.processes == 1 ? single : several).push_back(point);
  fit_single(pattern, of_messages(single));
  pattern.pieces.clear(), pattern.corrections.clear();
  if (several.empty()) return {};
  std::vector<Observation> data;
  const std::vector<CostPoint> messages = of_messages(several);
  for (const CostPoint& point : messages)
    data.push_back({point.bytes, point.seconds, relative_error(point), point.processes});
  BreakOptions options;
  options.noise_floor = 0;  // already included in the relative errors
  set_pieces(pattern, messages, find_breaks(data, options));
  fit_corrections(pattern);
  judge_pieces(pattern);
  const std::string_view usual = usual_growth(pattern);
  return process_counts(several).size() >= 3 || usual == "1" ? "" : std::string(usual);
}

std::vector<double> relative_residuals(const PatternCost& pattern) {
  std::vector<double> out;
  for (const CostPoint& point : pattern.points)
    if (point.processes > 1 && point.seconds > 0)
      out.push_back(
          std::fabs(machine::pattern_seconds(pattern, point.processes, point.bytes) / point.seconds - 1));
  return out;
}

}  // namespace parcast::calibrate
