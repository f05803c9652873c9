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
 * copyable. for_each, invoke, shift, copy_from, transpose_of, read_file, reduce, scan, gather are called by
 * all processors. */

#include <bit>
#include <cstdio>
#include <optional>

#include "parcast/collections/distribution.h"
#include "parcast/collections/team.h"

/* Inlined, so that a recording names the program's call. */
#define PARCAST_AT_CALL [[gnu::always_inline]]

namespace parcast::collections {

template <int D>
struct Options {
  std::string name = {};                             /* in recordings and messages */
  Shape shape = Shape::nearest;                      /* of the grid of processors */
  std::optional<std::array<int, D>> processors = {}; /* the grid itself */
};

template <class T, int D>
class DistributedArray {
  static_assert(!std::is_same_v<T, bool>, "a collection of bool is not supported: use char");

 public:
  using Element = T;

  DistributedArray(Team& team, const Index<D>& extents, const std::array<Distribution, D>& distributions,
                   const Options<D>& options = {})
      : DistributedArray(team, placement_of(team, extents, distributions, options), options.name) {}
  /* Aligned: elements with equal indices have the same owner. */
  template <class U>
  DistributedArray(Team& team, const DistributedArray<U, D>& aligned_to, const Options<D>& options = {})
      : DistributedArray(team, aligned_to.placement(), options.name) {}

  DistributedArray(const DistributedArray&) = delete;
  DistributedArray& operator=(const DistributedArray&) = delete;

  Team& team() const { return *team_; }
  const std::string& name() const { return name_; }
  const Index<D>& extents() const { return placement_.extents(); }
  const Placement<D>& placement() const { return placement_; }
  int owner(const Index<D>& index) const { return check(index), placement_.owner(index); }
  /* The elements of this processor, row by row. */
  std::span<T> local() { return {data_, static_cast<std::size_t>(count_)}; }
  std::span<const T> local() const { return {data_, static_cast<std::size_t>(count_)}; }

  /* Calls f(index, element) for every element, or for those whose index `is_chosen`; its owner calls. */
  template <class F>
  PARCAST_AT_CALL void for_each(F&& f) {
    const Operation operation(*this, ".for_each");
    T* const data = data_;
    placement_.each(team_->rank(), [&](const Index<D>& at, std::int64_t offset) { f(at, data[offset]); });
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
    const Operation operation(*this, ".invoke", method);
    T* const data = data_;
    placement_.each(team_->rank(), [&](const Index<D>& at, std::int64_t offset) {
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

  PARCAST_AT_CALL T get(const Index<D>& index) const {
    check_sendable<T>();
    if (const std::int64_t offset = own_offset(index); offset >= 0) return data_[offset];
    return get_from_owner(index);
  }
  PARCAST_AT_CALL void put(const Index<D>& index, const T& value) {
    check_sendable<T>();
    if (const std::int64_t offset = own_offset(index); offset >= 0)
      data_[offset] = value;
    else
      put_to_owner(index, value);
  }
  /* An element of this processor. */
  T& own(const Index<D>& index) {
    std::int64_t offset = own_offset(index);
    if (offset < 0)
      check(index), offset = placement_.owner(index) == team_->rank() ? placement_.offset(index) : -1;
    if (offset < 0)
      throw Error(name_ + to_text(index) + " belongs to processor " +
                  std::to_string(placement_.owner(index)));
    return data_[offset];
  }

  /* A box of elements, row by row: one access for each other owner. */
  PARCAST_AT_CALL std::vector<T> get_block(const Index<D>& first, const Index<D>& extents) const {
    std::vector<T> values(box_volume(first, extents));
    Team::Transfer transfer;
    add_box(transfer, first, extents);
    team_->fetch(*memory_, transfer, bytes(data_), bytes(values.data()));
    return values;
  }
  PARCAST_AT_CALL void put_block(const Index<D>& first, const Index<D>& extents, std::span<const T> values) {
    if (values.size() != box_volume(first, extents))
      throw Error(name_ + ": put_block has " + std::to_string(values.size()) + " values for a box of " +
                  to_text(extents));
    Team::Transfer transfer;
    add_box(transfer, first, extents);
    team_->store(*memory_, transfer, bytes(data_), bytes(values.data()));
  }

  /* Copies a collection of the same extents, of whatever distribution. */
  PARCAST_AT_CALL void copy_from(const DistributedArray& other) {
    if (!(other.extents() == extents()))
      throw Error(name_ + " has extents " + to_text(extents()) + ", " + other.name_ + " has " +
                  to_text(other.extents()));
    const Operation operation(*this, ".copy_from");
    fetch_own(other, data_, [](const Index<D>& at) { return at; });
    team_->barrier();
  }
  PARCAST_AT_CALL void transpose_of(const DistributedArray& other) requires(D == 2) {
    if (!(other.extents() == Index2(extents()[1], extents()[0])))
      throw Error(name_ + " has extents " + to_text(extents()) + ", which are not those of " + other.name_ +
                  " transposed: " + to_text(other.extents()));
    const Operation operation(*this, ".transpose_of");
    fetch_own(other, data_, [](const Index<D>& at) { return Index2(at[1], at[0]); });
    team_->barrier();
  }
  /* Moves every element by `distance` along a dimension, around the end. */
  PARCAST_AT_CALL void shift(int dimension, std::int64_t distance) {
    if (dimension < 0 || dimension >= D)
      throw Error(name_ + " has no dimension " + std::to_string(dimension));
    const Operation operation(*this, ".shift");
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t extent = extents()[d];
    std::vector<T> moved(static_cast<std::size_t>(count_));
    fetch_own(*this, moved.data(), [&](Index<D> at) {
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
    if (!placement_.is_contiguous()) {
      DistributedArray blocks(*team_, extents(), {Block}, {.name = name_});
      blocks.copy_from(*this);
      blocks.scan_blocks(op);
      return copy_from(blocks);
    }
    scan_blocks(op);
  }

  /* Returns all elements, row by row: on the root, or on all processors. */
  PARCAST_AT_CALL std::vector<T> gather(int root = 0) const { return gather_on(root, detail::Call::gather); }
  PARCAST_AT_CALL std::vector<T> gather_all() const {
    return gather_on(team_->rank(), detail::Call::gather_all);
  }

  /* Processor 0 writes, or reads, all elements row by row, as they are in memory. */
  PARCAST_AT_CALL void write_file(const std::string& path) const {
    const std::vector<T> values = gather(0);
    if (team_->rank() == 0) {
      std::FILE* file = std::fopen(path.c_str(), "wb");
      const bool is_written = file && (values.empty() || std::fwrite(values.data(), sizeof(T), values.size(),
                                                                     file) == values.size());
      if (!file || std::fclose(file) != 0 || !is_written)
        throw Error(path + " cannot be written with the elements of " + name_);
    }
    team_->barrier();
  }
  PARCAST_AT_CALL void read_file(const std::string& path) {
    check_sendable<T>();
    team_->meet(meeting(detail::Call::scatter), nullptr, {}, static_cast<std::uint64_t>(count_) * sizeof(T));
    if (team_->rank() == 0) {
      std::vector<T> values(static_cast<std::size_t>(volume(extents())) +
                            1); /* one more: a longer file is refused */
      std::FILE* file = std::fopen(path.c_str(), "rb");
      const std::size_t found = file ? std::fread(values.data(), sizeof(T), values.size(), file) : 0;
      if (file) std::fclose(file);
      if (!file || found + 1 != values.size())
        throw Error(path + " does not hold the " + std::to_string(values.size() - 1) + " elements of " +
                    name_);
      Team::Transfer transfer;
      add_box(transfer, {}, extents());
      team_->store_within(*memory_, transfer, bytes(data_), bytes(values.data()));
    }
    team_->meet_silently(meeting(detail::Call::scatter));
  }

 private:
  template <class V>
  struct Part {
    V value{};
    bool has = false;
  };

  /* A region of a recording, named by the collection and the method. */
  class Operation {
   public:
    template <class Method = std::nullptr_t>
    PARCAST_AT_CALL Operation(const DistributedArray& on, const char* name, Method method = {})
        : team_(*on.team_) {
      team_.check_use(on.name_.c_str());
      if constexpr (std::is_member_function_pointer_v<Method>) {
        const void* address;
        std::memcpy(&address, &method, sizeof address);
        team_.begin_region(on.name_.c_str());
        team_.begin_method(address, name);
        is_nested_ = true;
      } else {
        team_.begin_region((on.name_ + name).c_str());
      }
    }
    PARCAST_AT_CALL ~Operation() {
      team_.end_region();
      if (is_nested_) team_.end_region();
    }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

   private:
    Team& team_;
    bool is_nested_ = false;
  };

  DistributedArray(Team& team, const Placement<D>& placement, const std::string& name)
      : team_(&team),
        name_(name.empty() ? std::to_string(D) + "-dimensional collection" : name),
        placement_(placement),
        count_(volume(placement_.counts(team.rank()))) {
    team_->check_use(name_.c_str());
    const auto elements =
        std::make_shared<std::unique_ptr<T[]>>(std::make_unique<T[]>(static_cast<std::size_t>(count_)));
    data_ = elements->get();
    elements_ = {elements, reinterpret_cast<std::byte*>(data_)};
    std::array<int, D> at{};
    if (placement_.is_contiguous() && placement_.coordinates(team.rank(), at))
      for (std::size_t d = 0; d < D; ++d) {
        own_first_[d] = at[d] * placement_.layout(d).width();
        own_count_[d] = placement_.layout(d).count(at[d]);
      }
    if constexpr (std::is_trivially_copyable_v<T>)
      memory_ =
          team_->share(elements_, static_cast<std::size_t>(count_) * sizeof(T), meeting(detail::Call::make));
    else
      team_->meet_silently(meeting(detail::Call::make));
  }

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

  detail::Meeting meeting(detail::Call call) const {
    std::uint64_t signature = typeid(T).hash_code();
    for (const std::int64_t extent : extents().at)
      signature = signature * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(extent);
    return {call, 0, signature, name_.c_str()};
  }

  static std::byte* bytes(T* data) { return reinterpret_cast<std::byte*>(data); }
  static const std::byte* bytes(const T* data) { return reinterpret_cast<const std::byte*>(data); }

  void check(const Index<D>& index) const {
    if (!placement_.contains(index))
      throw Error(name_ + to_text(index) + " is outside of the extents " + to_text(extents()));
  }
  /* Negative: not among this processor's elements, or not known at once. */
  std::int64_t own_offset(const Index<D>& index) const {
    std::int64_t offset = 0;
    bool is_own = true;
    for (std::size_t d = 0; d < D; ++d) {
      const std::int64_t i = index[d] - own_first_[d];
      is_own &= static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(own_count_[d]);
      offset = offset * own_count_[d] + i;
    }
    return is_own ? offset : -1;
  }
  detail::Stretch one(const Index<D>& index) const {
    return {static_cast<std::size_t>(placement_.offset(index)) * sizeof(T), 0, sizeof(T)};
  }
  [[gnu::noinline]] T get_from_owner(const Index<D>& index) const {
    check(index);
    const int owner = placement_.owner(index);
    if (owner == team_->rank()) return data_[placement_.offset(index)];
    std::array<std::byte, sizeof(T)> raw;
    team_->read(*memory_, owner, one(index), raw.data(), __builtin_return_address(0));
    return std::bit_cast<T>(raw);
  }
  [[gnu::noinline]] void put_to_owner(const Index<D>& index, const T& value) {
    check(index);
    const int owner = placement_.owner(index);
    if (owner == team_->rank())
      data_[placement_.offset(index)] = value;
    else
      team_->write(*memory_, owner, one(index), bytes(&value), __builtin_return_address(0));
  }

  std::size_t box_volume(const Index<D>& first, const Index<D>& extents) const {
    check_sendable<T>();
    for (std::size_t d = 0; d < D; ++d)
      if (first[d] < 0 || extents[d] < 0 || extents[d] > this->extents()[d] - first[d])
        throw Error(name_ + ": the box of " + to_text(extents) + " at " + to_text(first) +
                    " is outside of the extents " + to_text(this->extents()));
    return static_cast<std::size_t>(volume(extents));
  }
  /* Adds the elements of a box, row by row, in stretches with one owner. */
  void add_box(Team::Transfer& transfer, const Index<D>& first, const Index<D>& extents) const {
    constexpr std::size_t last = D - 1;
    const std::int64_t width = placement_.layout(last).width(), row_end = first[last] + extents[last];
    std::size_t here = 0;
    const auto add_row = [&](Index<D> at) {
      for (std::int64_t length; at[last] < row_end; at[last] += length) {
        length = std::min(width - at[last] % width, row_end - at[last]);
        add(transfer, at, here, length);
        here += static_cast<std::size_t>(length);
      }
    };
    if (volume(extents) == 0) return;
    for (Index<D> at = first;;) {
      add_row(at);
      std::size_t d = last;
      while (d > 0 && ++at[d - 1] == first[d - 1] + extents[d - 1]) --d, at[d] = first[d];
      if (d == 0) return;
    }
  }
  void add(Team::Transfer& transfer, const Index<D>& at, std::size_t here, std::int64_t length = 1) const {
    transfer.add(placement_.owner(at), static_cast<std::size_t>(placement_.offset(at)) * sizeof(T),
                 here * sizeof(T), static_cast<std::size_t>(length) * sizeof(T));
  }
  /* Fetches for each own element that of another collection. */
  template <class Source>
  PARCAST_AT_CALL void fetch_own(const DistributedArray& other, T* into, Source&& source) const {
    check_sendable<T>();
    Team::Transfer transfer;
    placement_.each(team_->rank(), [&](const Index<D>& at, std::int64_t offset) {
      other.add(transfer, source(at), static_cast<std::size_t>(offset));
    });
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
    for (T& element : local()) {
      sum = sum.has ? Part<T>{op(sum.value, element), true} : Part<T>{element, true};
      if (keeps_sums) element = sum.value;
    }
    return sum;
  }
  template <class Op>
  PARCAST_AT_CALL Part<T> combined(Op& op) const {
    check_sendable<T>();
    const Operation operation(*this, ".reduce");
    return team_->reduce(const_cast<DistributedArray*>(this)->sum_of_own(op, false), both(op));
  }

  template <class Op>
  PARCAST_AT_CALL void scan_blocks(Op op) {
    const Operation operation(*this, ".scan");
    Part<T> sum = sum_of_own(op, true);
    const Part<T> before = team_->scan(sum, both(op), Part<T>{});
    if (before.has)
      for (T& element : local()) element = op(before.value, element);
    team_->barrier();
  }

  PARCAST_AT_CALL std::vector<T> gather_on(int root, detail::Call call) const {
    check_sendable<T>();
    if (root < 0 || root >= team_->size())
      throw Error(name_ + ": there is no processor " + std::to_string(root) + " to gather on");
    team_->meet(meeting(call), nullptr, {}, static_cast<std::uint64_t>(count_) * sizeof(T),
                call == detail::Call::gather ? root : 0);
    std::vector<T> values;
    if (team_->rank() == root) {
      values.resize(static_cast<std::size_t>(volume(extents())));
      Team::Transfer transfer;
      add_box(transfer, {}, extents());
      team_->fetch_within(*memory_, transfer, bytes(data_), bytes(values.data()));
    }
    team_->meet_silently(meeting(call));
    return values;
  }

  Team* team_;
  std::string name_;
  Placement<D> placement_;
  std::int64_t count_; /* of own elements */
  T* data_ = nullptr;
  Index<D> own_first_, own_count_; /* of contiguous own elements, else 0 */
  std::shared_ptr<std::byte> elements_;
  std::unique_ptr<detail::Memory> memory_;
};

template <class T>
using DistributedVector = DistributedArray<T, 1>;
template <class T>
using DistributedMatrix = DistributedArray<T, 2>;

} /* namespace parcast::collections */

#undef PARCAST_AT_CALL
