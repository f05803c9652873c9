// SPDX-License-Identifier: Apache-2.0
#include "statistics/qr.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace parcast::statistics {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

double condition_number(const Dense& unit_columns) {
  if (unit_columns.cols() == 0) return std::numeric_limits<double>::infinity();
  const Eigen::JacobiSVD<Dense> svd(unit_columns);
  return svd.singularValues()(0) / svd.singularValues()(unit_columns.cols() - 1);
}

double power_of_two_below(double x) {
  return x > 0 ? std::ldexp(1.0, -std::ilogb(x)) : 1.0;
}

Dense upper_part(const PivotedQr& qr) {
  const auto k = static_cast<Eigen::Index>(qr.rank);
  Dense r = Dense::Zero(k, k);
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = i; j < k; ++j)
      r(i, j) = qr.r(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return r;
}

// Residuals of the refinement's equations, b - r - a x and -a' r, accumulated in extended precision and
// rounded once.
struct Defect {
  Vector upper;
  Vector lower;
};

Defect defect(const PivotedQr& qr, const Matrix& a, std::span<const double> b, const Vector& r,
              const Vector& x) {
  Defect d{Vector(static_cast<Eigen::Index>(a.rows)), Vector(static_cast<Eigen::Index>(qr.rank))};
  for (std::size_t i = 0; i < a.rows; ++i) {
    long double sum = static_cast<long double>(b[i]) - r(static_cast<Eigen::Index>(i));
    for (std::size_t j = 0; j < qr.rank; ++j) {
      const std::size_t column = qr.permutation[j];
      sum -= static_cast<long double>(a(i, column) * qr.scale[column]) * x(static_cast<Eigen::Index>(j));
    }
    d.upper(static_cast<Eigen::Index>(i)) = static_cast<double>(sum);
  }
  for (std::size_t j = 0; j < qr.rank; ++j) {
    const std::size_t column = qr.permutation[j];
    long double sum = 0;
    for (std::size_t i = 0; i < a.rows; ++i)
      sum -= static_cast<long double>(a(i, column) * qr.scale[column]) * r(static_cast<Eigen::Index>(i));
    d.lower(static_cast<Eigen::Index>(j)) = static_cast<double>(sum);
  }
  return d;
}

}  // namespace

PivotedQr pivoted_qr(const Matrix& a, double tolerance) {
  const auto rows = static_cast<Eigen::Index>(a.rows);
  const auto columns = static_cast<Eigen::Index>(a.columns);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Dense scaled = Eigen::Map<const RowMajor>(a.values.data(), rows, columns);
  PivotedQr out;
  out.scale.resize(a.columns);
  Dense unit(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    // Scale by the largest entry first, so that no square overflows or underflows.
    const double first = power_of_two_below(rows > 0 ? scaled.col(j).cwiseAbs().maxCoeff() : 0);
    scaled.col(j) *= first;
    const double length = scaled.col(j).norm();
    const double second = power_of_two_below(length);
    scaled.col(j) *= second;
    out.scale[static_cast<std::size_t>(j)] = first * second;
    unit.col(j) = length > 0 ? Vector(scaled.col(j) / (length * second)) : Vector(Vector::Zero(rows));
  }
  Eigen::ColPivHouseholderQR<Dense> pivoting(unit);
  pivoting.setThreshold(tolerance);
  const Eigen::Index rank = pivoting.maxPivot() > 0 ? pivoting.rank() : 0;
  const Dense ordered = scaled * pivoting.colsPermutation();
  const Eigen::HouseholderQR<Dense> factors(ordered);
  const Dense q = factors.householderQ() * Dense::Identity(rows, rank);
  const Dense r = factors.matrixQR().topRows(rank).triangularView<Eigen::Upper>();

  out.rank = static_cast<std::size_t>(rank);
  for (Eigen::Index j = 0; j < columns; ++j)
    out.permutation.push_back(static_cast<std::size_t>(pivoting.colsPermutation().indices()(j)));
  out.q = Matrix(a.rows, out.rank);
  Eigen::Map<RowMajor>(out.q.values.data(), rows, rank) = q;
  out.r = Matrix(out.rank, a.columns);
  Eigen::Map<RowMajor>(out.r.values.data(), rank, columns) = r;
  out.condition = condition_number((unit * pivoting.colsPermutation()).leftCols(rank));
  return out;
}

QrSolution solve(const PivotedQr& qr, const Matrix& a, std::span<const double> b) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(a.rows);
  const auto rank = static_cast<Eigen::Index>(qr.rank);
  const Eigen::Map<const RowMajor> q(qr.q.values.data(), rows, rank);
  const Dense r = upper_part(qr);
  const auto triangle = r.triangularView<Eigen::Upper>();
  Vector x = Vector::Zero(rank);
  Vector residual = Vector::Zero(rows);
  constexpr int kRounds = 4;  // the solution and three corrections
  for (int round = 0; round < kRounds; ++round) {
    const Defect d = defect(qr, a, b, residual, x);
    const Vector projected = q.transpose() * d.upper;
    const Vector dual = triangle.transpose().solve(d.lower);
    x += triangle.solve(Vector(projected - dual));
    residual += d.upper - q * projected + q * dual;
  }
  QrSolution out;
  out.x.assign(a.columns, 0.0);
  for (std::size_t j = 0; j < qr.rank; ++j)
    out.x[qr.permutation[j]] = x(static_cast<Eigen::Index>(j)) * qr.scale[qr.permutation[j]];
  out.residual.assign(residual.data(), residual.data() + rows);
  return out;
}

}  // namespace parcast::statistics
