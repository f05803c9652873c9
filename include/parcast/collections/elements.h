/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The elements of a collection: who owns each, and access to one or to a box of them. DistributedArray
 * (array.h) adds what all processors do together.
 *
 *     double far = a.get({n - 1, 0});            from its owner: a request and a reply
 *     a.put({0, 0}, 1.5);
 *     std::vector<double> box = a.get_block({0, 0}, {2, n});      one access for each other owner
 *
 * `where`: the place of the program's call, for --check-races. */

#include <bit>
#include <memory>

#include "parcast/collections/placement.h"
#include "parcast/collections/team.h"

/* Inlined, so that a recording names the program's call. */
#define PARCAST_AT_CALL [[gnu::always_inline]]

namespace parcast::collections {

using Where = std::source_location;

template <class T, int D>
class Elements {
  static_assert(!std::is_same_v<T, bool>, "a collection of bool is not supported: use char");

 public:
  using Element = T;

  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  Team& team() const { return *team_; }
  const std::string& name() const { return name_; }
  const Index<D>& extents() const { return placement_.extents(); }
  const Placement<D>& placement() const { return placement_; }
  int owner(const Index<D>& index) const { return check(index), placement_.owner(index); }
  /* The elements of this processor, row by row. */
  std::span<T> local() { return {data_, static_cast<std::size_t>(count_)}; }
  std::span<const T> local() const { return {data_, static_cast<std::size_t>(count_)}; }

  PARCAST_AT_CALL T get(const Index<D>& index, Where where = Where::current()) const {
    check_sendable<T>();
    if (const std::int64_t offset = own_offset(index); offset >= 0) return data_[offset];
    return get_from_owner(index, where);
  }
  PARCAST_AT_CALL void put(const Index<D>& index, const T& value, Where where = Where::current()) {
    check_sendable<T>();
    if (const std::int64_t offset = own_offset(index); offset >= 0)
      data_[offset] = value;
    else
      put_to_owner(index, value, where);
  }
  /* An element of this processor. */
  T& own(const Index<D>& index) {
    if (const std::int64_t offset = own_offset(index); offset >= 0) return data_[offset];
    check(index);
    if (const int owner = placement_.owner(index); owner != rank_)
      throw Error(name_ + to_text(index) + " belongs to processor " + std::to_string(owner));
    return data_[placement_.offset(index)];
  }

  /* A box of elements, row by row: one access for each other owner. */
  PARCAST_AT_CALL std::vector<T> get_block(const Index<D>& first, const Index<D>& extents,
                                           Where where = Where::current()) const {
    std::vector<T> values(box_volume(first, extents));
    Team::Transfer transfer = box(first, extents);
    team_->note(*memory_, transfer, false, where);
    team_->fetch(*memory_, transfer, bytes(data_), bytes(values.data()));
    return values;
  }
  PARCAST_AT_CALL void put_block(const Index<D>& first, const Index<D>& extents, std::span<const T> values,
                                 Where where = Where::current()) {
    if (values.size() != box_volume(first, extents))
      throw Error(name_ + ": put_block has " + std::to_string(values.size()) + " values for a box of " +
                  to_text(extents));
    Team::Transfer transfer = box(first, extents);
    team_->note(*memory_, transfer, true, where);
    team_->store(*memory_, transfer, bytes(data_), bytes(values.data()));
  }

 protected:
  Elements(Team& team, const Placement<D>& placement, const std::string& name)
      : team_(&team),
        rank_(team.rank()),
        team_number_(team.number()),
        name_(name.empty() ? std::to_string(D) + "-dimensional collection" : name),
        placement_(placement),
        count_(volume(placement_.counts(rank_))) {
    check_use();
    const auto elements =
        std::make_shared<std::unique_ptr<T[]>>(std::make_unique<T[]>(static_cast<std::size_t>(count_)));
    data_ = elements->get();
    elements_ = {elements, reinterpret_cast<std::byte*>(data_)};
    if (team_->is_watched())
      watch(); /* before anybody can access them */
    else
      know_own();
    if constexpr (std::is_trivially_copyable_v<T>)
      memory_ = team_->share(elements_, own_bytes(), meeting(detail::Call::make));
    else
      team_->meet_silently(meeting(detail::Call::make));
  }

  detail::Meeting meeting(detail::Call call) const {
    std::uint64_t signature = typeid(T).hash_code();
    for (const std::int64_t extent : extents().at)
      signature = signature * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(extent);
    return {call, 0, signature, name_.c_str()};
  }
  static std::byte* bytes(T* data) { return reinterpret_cast<std::byte*>(data); }
  static const std::byte* bytes(const T* data) { return reinterpret_cast<const std::byte*>(data); }
  std::size_t own_bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }
  /* Throws when another processor calls than the one that made the collection, or after its team's end. */
  void check_use() const { detail::check_running(team_number_, name_.c_str()); }
  void check(const Index<D>& index) const {
    if (!placement_.contains(index))
      throw Error(name_ + to_text(index) + " is outside of the extents " + to_text(extents()));
  }

  /* The elements of a box, row by row. */
  Team::Transfer box(const Index<D>& first, const Index<D>& extents) const {
    check_use();
    Team::Transfer transfer;
    std::size_t here = 0;
    placement_.each_row(first, extents, [&](const Index<D>& at, std::int64_t length) {
      add(transfer, at, here, length);
      here += static_cast<std::size_t>(length);
    });
    return transfer;
  }
  Team::Transfer all() const { return box({}, extents()); }
  void add(Team::Transfer& transfer, const Index<D>& at, std::size_t here, std::int64_t length = 1) const {
    transfer.add(placement_.owner(at), static_cast<std::size_t>(placement_.offset(at)) * sizeof(T),
                 here * sizeof(T), static_cast<std::size_t>(length) * sizeof(T));
  }

 private:
  /* With them, access to own elements takes a comparison alone. */
  void know_own() {
    std::array<int, D> at{};
    if (!placement_.is_contiguous() || !placement_.coordinates(rank_, at)) return;
    for (std::size_t d = 0; d < D; ++d) {
      own_first_[d] = at[d] * placement_.layout(d).width();
      own_count_[d] = placement_.layout(d).count(at[d]);
    }
  }
  void watch() {
    if constexpr (std::is_trivially_copyable_v<T>)
      team_->watch(elements_, own_bytes(), sizeof(T),
                   [name = name_, placement = placement_](int owner, std::size_t number) {
                     return name + to_text(placement.index(owner, static_cast<std::int64_t>(number)));
                   });
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
  detail::Stretch stretch(const Index<D>& index) const {
    return {static_cast<std::size_t>(placement_.offset(index)) * sizeof(T), 0, sizeof(T)};
  }
  /* Returns the owner of an element that is about to be accessed. */
  int accessed(const Index<D>& index, bool writes, const Where& where) const {
    check(index);
    check_use();
    const int owner = placement_.owner(index);
    team_->note(*memory_, owner, stretch(index), writes, where);
    return owner;
  }
  [[gnu::noinline]] T get_from_owner(const Index<D>& index, const Where& where) const {
    const int owner = accessed(index, false, where);
    if (owner == rank_) return data_[placement_.offset(index)];
    std::array<std::byte, sizeof(T)> raw;
    team_->read(*memory_, owner, stretch(index), raw.data(), __builtin_return_address(0));
    return std::bit_cast<T>(raw);
  }
  [[gnu::noinline]] void put_to_owner(const Index<D>& index, const T& value, const Where& where) {
    const int owner = accessed(index, true, where);
    if (owner == rank_)
      data_[placement_.offset(index)] = value;
    else
      team_->write(*memory_, owner, stretch(index), bytes(&value), __builtin_return_address(0));
  }
  std::size_t box_volume(const Index<D>& first, const Index<D>& extents) const {
    check_sendable<T>();
    for (std::size_t d = 0; d < D; ++d)
      if (first[d] < 0 || extents[d] < 0 || extents[d] > this->extents()[d] - first[d])
        throw Error(name_ + ": the box of " + to_text(extents) + " at " + to_text(first) +
                    " is outside of the extents " + to_text(this->extents()));
    return static_cast<std::size_t>(volume(extents));
  }

 protected:
  Team* team_;
  int rank_;
  std::uint64_t team_number_;
  std::string name_;
  Placement<D> placement_;
  std::int64_t count_; /* of own elements */
  T* data_ = nullptr;
  std::unique_ptr<detail::Memory> memory_;

 private:
  Index<D> own_first_, own_count_; /* of contiguous own elements, else 0 */
  std::shared_ptr<std::byte> elements_;
};

} /* namespace parcast::collections */
