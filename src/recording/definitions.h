// SPDX-License-Identifier: Apache-2.0
#pragma once
// Definitions that events refer to by number: calls, sites, modules, regions, communicators, parameters.
// Numbers in a file need not be dense or in order (threads write concurrently, damage leaves holes). This
// class converts them to indices.

#include <optional>

#include "recording/records.h"

namespace parcast::recording {

/// Returns the text safe to show: valid UTF-8 without control characters; other bytes become '?'.
std::string clean_text(std::string_view text);

class Definitions {
 public:
  /// `file_size` limits the memory of the definitions. Calls are added to `calls`, which several ranks share.
  Definitions(std::size_t file_size, std::int32_t processes, std::vector<Call>& calls, LossList& losses);

  /// Adds a definition record; returns false when its content is invalid.
  bool take(const RecordView& record);
  /// Fills the rank's lists. Call it after all records were read; numbers can be looked up only afterwards.
  void finish(RankRecording& rank);

  std::optional<std::uint16_t> call(std::uint32_t number) const;  // returns an index into calls
  std::optional<std::uint32_t> site(std::uint32_t number) const { return position(sites_, number); }
  std::optional<std::uint32_t> region(std::uint32_t number) const { return position(regions_, number); }
  std::optional<std::uint32_t> communicator(std::uint32_t number) const {
    return position(communicators_, number);
  }
  std::optional<std::uint32_t> shares(std::uint32_t number) const { return position(shares_, number); }
  const std::string& name(std::uint16_t call) const { return calls_[call].name; }
  CallClass kind(std::uint16_t call) const { return calls_[call].kind; }
  const Call& about(std::uint16_t call) const { return calls_[call]; }
  /// Returns the index of a call whose name is missing.
  std::uint16_t unknown_call() { return intern({"?", CallClass::none, Pattern::none, Asked::unknown}); }

 private:
  struct RawSite {
    std::uint32_t id, module;
    std::uint64_t offset;
  };
  struct RawRegion {
    std::uint32_t id, parent;
    std::string_view name;
    bool function = false;  // a function on the stack; then `module` and `offset` are set
    std::uint32_t module = 0;
    std::uint64_t offset = 0;
  };
  struct RawCommunicator {
    std::uint32_t id, size;
    std::vector<parcast_dimension> dimensions;
  };
  struct RawRun {
    std::uint32_t id;
    parcast_run run;
  };
  struct RawShares {
    std::uint32_t id, total;
    std::vector<Share> shares;
  };
  struct RawModule {
    std::uint32_t id;
    std::string_view path, build_id;
  };
  struct RawCall {
    std::uint32_t id;
    std::uint16_t index;
  };
  struct RawParameter {
    std::string_view name;
    double value;
    bool from_environment;
  };

  /// Returns the index of `number` in a list sorted by id.
  template <class Raw>
  static std::optional<std::uint32_t> position(const std::vector<Raw>& list, std::uint32_t number) {
    if (number < list.size() && list[number].id == number) return number;
    std::size_t low = 0, high = list.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (list[middle].id < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < list.size() && list[low].id == number) return static_cast<std::uint32_t>(low);
    return std::nullopt;
  }

  bool take_call(const RecordView& record);
  bool take_module(const RecordView& record);
  bool take_region(const RecordView& record);
  bool take_frame(const RecordView& record);
  bool take_communicator(const RecordView& record);
  bool take_members(const RecordView& record);
  bool take_shares(const RecordView& record);
  bool take_parameter(const RecordView& record);
  std::uint16_t intern(Call call);
  void finish_sites(RankRecording& rank);
  void finish_regions(RankRecording& rank);
  std::string part_name(const RawRegion& region, const RankRecording& rank) const;
  void finish_communicators(RankRecording& rank);
  void finish_shares(RankRecording& rank);
  bool expand(const parcast_run& run, std::vector<std::int32_t>& into);

  std::size_t room_for_names_, room_for_members_;
  std::int32_t processes_;
  std::vector<Call>& calls_;
  LossList& losses_;
  std::vector<RawCall> raw_calls_;
  std::vector<RawSite> sites_;
  std::vector<RawModule> modules_;
  std::vector<RawRegion> regions_;
  std::vector<RawCommunicator> communicators_;
  std::vector<RawRun> runs_;
  std::vector<RawShares> shares_;
  std::vector<RawParameter> parameters_;
};

}  // namespace parcast::recording
