/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A collection: elements of one type in D dimensions, distributed over the processors of a team. The owner of
 * an element computes it.
 *
 *     DistributedMatrix<double> a(team, {n, n}, {Block, Whole}, {.name = "a"});
 *     a.for_each([](Index2 at, double& x) { x = at[0] + at[1]; });    every processor its own; then a barrier
 *     double far = a.get({n - 1, 0});                                 from its owner: a request and a reply
 *     double sum = a.reduce(std::plus<>());
 *
 * Elements of any type can be held, and their methods invoked; those that are sent must be trivially
 * copyable. All of these functions but those of Elements are called by all processors. */

#include <optional>

#include "parcast/collections/elements.h"
#include "parcast/collections/elements_file.h"
#include "parcast/collections/operation.h"

namespace parcast::collections {

template <int D>
struct Options {
  std::string name = {};                             /* in recordings and messages */
  Shape shape = Shape::nearest;                      /* of the grid of processors */
  std::optional<std::array<int, D>> processors = {}; /* the grid itself */
};

template <class T, int D>
class DistributedArray : public Elements<T, D> {
  using Base = Elements<T, D>;

 public:
  DistributedArray(Team& team, const Index<D>& extents, const std::array<Distribution, D>& distributions,
                   const Options<D>& options = {})
      : Base(team, placement_of(team, extents, distributions, options), options.name) {}
  /* Aligned: elements with equal indices have the same owner. */
  template <class U>
  DistributedArray(Team& team, const DistributedArray<U, D>& aligned_to, const Options<D>& options = {})
      : Base(team, aligned_to.placement(), options.name) {}

  /* Calls f(index, element) for every element, or for those whose index `is_chosen`; its owner calls. */
  template <class F>
  PARCAST_AT_CALL void for_each(F&& f) {
    const Operation operation(begun(), ".for_each");
    team_->note_own(count_);
    T* const data = data_;
    placement_.each(rank_, [&](const Index<D>& at, std::int64_t offset) { f(at, data[offset]); });
    team_->barrier();
  }
  template <class Predicate, class F>
  PARCAST_AT_CALL void for_each_where(Predicate&& is_chosen, F&& f) {
    for_each([&](const Index<D>& at, T& element) {
      if (is_chosen(at)) f(at, element);
    });
  }

  /* Calls a method of every element, of those whose index `is_chosen`, or of each stride-th from `first` on.
   */
  template <class Method, class... Arguments>
  PARCAST_AT_CALL void invoke(Method method, const Arguments&... arguments) {
    invoke_where([](const Index<D>&) { return true; }, method, arguments...);
  }
  template <class Predicate, class Method, class... Arguments>
  PARCAST_AT_CALL void invoke_where(Predicate&& is_chosen, Method method, const Arguments&... arguments) {
    const Operation operation(begun(), ".invoke", method);
    team_->note_own(count_);
    T* const data = data_;
    placement_.each(rank_, [&](const Index<D>& at, std::int64_t offset) {
      if (is_chosen(at)) std::invoke(method, data[offset], arguments...);
    });
    team_->barrier();
  }
  template <class Method, class... Arguments>
  PARCAST_AT_CALL void invoke_strided(const Index<D>& first, const Index<D>& stride, Method method,
                                      const Arguments&... arguments) {
    for (const std::int64_t step : stride.at)
      if (step < 1) throw Error(name_ + ": the stride " + to_text(stride) + " is not positive");
    const auto is_chosen = [&](const Index<D>& at) {
      for (std::size_t d = 0; d < D; ++d)
        if (at[d] < first[d] || (at[d] - first[d]) % stride[d] != 0) return false;
      return true;
    };
    invoke_where(is_chosen, method, arguments...);
  }

  /* Copies a collection of the same extents, of whatever distribution. */
  PARCAST_AT_CALL void copy_from(const DistributedArray& other, Where where = Where::current()) {
    if (!(other.extents() == this->extents()))
      throw Error(name_ + " has extents " + to_text(this->extents()) + ", " + other.name_ + " has " +
                  to_text(other.extents()));
    const Operation operation(begun(), ".copy_from");
    fetch_own(other, data_, where, [](const Index<D>& at) { return at; });
    team_->barrier();
  }
  PARCAST_AT_CALL void transpose_of(const DistributedArray& other,
                                    Where where = Where::current()) requires(D == 2) {
    if (!(other.extents() == Index2(this->extents()[1], this->extents()[0])))
      throw Error(name_ + " has extents " + to_text(this->extents()) + ", which are not those of " +
                  other.name_ + " transposed: " + to_text(other.extents()));
    const Operation operation(begun(), ".transpose_of");
    fetch_own(other, data_, where, [](const Index<D>& at) { return Index2(at[1], at[0]); });
    team_->barrier();
  }
  /* Moves every element by `distance` along a dimension, around the end. */
  PARCAST_AT_CALL void shift(int dimension, std::int64_t distance, Where where = Where::current()) {
    if (dimension < 0 || dimension >= D)
      throw Error(name_ + " has no dimension " + std::to_string(dimension));
    const Operation operation(begun(), ".shift");
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t extent = this->extents()[d];
    std::vector<T> moved(static_cast<std::size_t>(count_));
    fetch_own(*this, moved.data(), where, [&](Index<D> at) {
      at[d] = ((at[d] - distance % extent) % extent + extent) % extent;
      return at;
    });
    team_->barrier();
    std::copy(moved.begin(), moved.end(), data_);
    team_->barrier();
  }

  /* Combines the elements of each processor in order, then those of the processors in order of rank. */
  template <class Op>
  PARCAST_AT_CALL T reduce(Op op) const {
    const Part<T> sum = combined(op);
    if (!sum.has) throw Error(name_ + " has no elements to reduce; give a first value: reduce(op, first)");
    return sum.value;
  }
  template <class Op>
  PARCAST_AT_CALL T reduce(Op op, const T& first) const {
    const Part<T> sum = combined(op);
    return sum.has ? op(first, sum.value) : first;
  }
  /* Replaces every element by the combination of all up to and including it. */
  template <class Op>
  PARCAST_AT_CALL void scan(Op op) requires(D == 1) {
    Base::check_use();
    if (!placement_.is_contiguous()) {
      DistributedArray blocks(*team_, this->extents(), {Block}, {.name = name_});
      blocks.copy_from(*this);
      blocks.scan_blocks(op);
      return copy_from(blocks);
    }
    scan_blocks(op);
  }

  /* Returns all elements, row by row: on the root, or on all processors. */
  PARCAST_AT_CALL std::vector<T> gather(int root = 0) const { return gather_on(root, detail::Call::gather); }
  PARCAST_AT_CALL std::vector<T> gather_all() const { return gather_on(rank_, detail::Call::gather_all); }

  /* Processor 0 writes, or reads, all elements row by row, as they are in memory. */
  PARCAST_AT_CALL void write_file(const std::string& path) const {
    const std::vector<T> values = gather(0);
    if (rank_ == 0) detail::write_elements(path, std::as_bytes(std::span(values)), name_);
    team_->barrier();
  }
  PARCAST_AT_CALL void read_file(const std::string& path) {
    check_sendable<T>();
    Base::check_use();
    team_->meet(meeting(detail::Call::scatter), nullptr, {}, own_bytes());
    if (rank_ == 0) {
      std::vector<T> values(static_cast<std::size_t>(volume(this->extents())));
      detail::read_elements(path, std::as_writable_bytes(std::span(values)), name_);
      Team::Transfer transfer = all();
      team_->store_within(*memory_, transfer, bytes(data_), bytes(values.data()));
    }
    team_->meet_silently(meeting(detail::Call::scatter));
  }

 private:
  using Base::add;
  using Base::all;
  using Base::bytes;
  using Base::count_;
  using Base::data_;
  using Base::meeting;
  using Base::memory_;
  using Base::name_;
  using Base::own_bytes;
  using Base::placement_;
  using Base::rank_;
  using Base::team_;

  template <class V>
  struct Part {
    V value{};
    bool has = false;
  };

  /* The collection on which an operation begins. */
  Operation::On begun() const { return Base::check_use(), Operation::On{*team_, name_}; }

  static Placement<D> placement_of(Team& team, const Index<D>& extents,
                                   const std::array<Distribution, D>& distributions,
                                   const Options<D>& options) {
    if (!options.processors)
      return {extents, distributions, processor_sides(team.size(), distributions, options.shape)};
    std::int64_t all = 1;
    for (std::size_t d = 0; d < D; ++d) all *= (*options.processors)[d];
    if (all > team.size())
      throw Error(options.name + " needs " + std::to_string(all) + " processors, the team has " +
                  std::to_string(team.size()));
    return {extents, distributions, *options.processors};
  }

  /* Fetches for each own element that of another collection. */
  template <class Source>
  PARCAST_AT_CALL void fetch_own(const DistributedArray& other, T* into, const Where& where,
                                 Source&& source) const {
    check_sendable<T>();
    Team::Transfer transfer;
    placement_.each(rank_, [&](const Index<D>& at, std::int64_t offset) {
      other.add(transfer, source(at), static_cast<std::size_t>(offset));
    });
    team_->note(*other.memory_, transfer, false, where);
    team_->fetch(*other.memory_, transfer, bytes(other.data_), bytes(into));
  }

  template <class Op>
  static auto both(Op& op) {
    return [&op](const Part<T>& a, const Part<T>& b) {
      return !a.has ? b : !b.has ? a : Part<T>{op(a.value, b.value), true};
    };
  }
  template <class Op>
  Part<T> sum_of_own(Op& op, bool keeps_sums) {
    Part<T> sum;
    for (T& element : this->local()) {
      sum = sum.has ? Part<T>{op(sum.value, element), true} : Part<T>{element, true};
      if (keeps_sums) element = sum.value;
    }
    return sum;
  }
  template <class Op>
  PARCAST_AT_CALL Part<T> combined(Op& op) const {
    check_sendable<T>();
    const Operation operation(begun(), ".reduce");
    return team_->reduce(const_cast<DistributedArray*>(this)->sum_of_own(op, false), both(op));
  }

  template <class Op>
  PARCAST_AT_CALL void scan_blocks(Op op) {
    const Operation operation(begun(), ".scan");
    Part<T> sum = sum_of_own(op, true);
    const Part<T> before = team_->scan(sum, both(op), Part<T>{});
    if (before.has)
      for (T& element : this->local()) element = op(before.value, element);
    team_->barrier();
  }

  PARCAST_AT_CALL std::vector<T> gather_on(int root, detail::Call call) const {
    check_sendable<T>();
    Base::check_use();
    if (root < 0 || root >= team_->size())
      throw Error(name_ + ": there is no processor " + std::to_string(root) + " to gather on");
    team_->meet(meeting(call), nullptr, {}, own_bytes(), call == detail::Call::gather ? root : 0);
    std::vector<T> values;
    if (rank_ == root) {
      values.resize(static_cast<std::size_t>(volume(this->extents())));
      Team::Transfer transfer = all();
      team_->fetch_within(*memory_, transfer, bytes(data_), bytes(values.data()));
    }
    team_->meet_silently(meeting(call));
    return values;
  }
};

template <class T>
using DistributedVector = DistributedArray<T, 1>;
template <class T>
using DistributedMatrix = DistributedArray<T, 2>;

} /* namespace parcast::collections */

#undef PARCAST_AT_CALL
