// SPDX-License-Identifier: Apache-2.0
#pragma once
// Definitions of an archive while its events are written. A definition gets its number at first use. All
// definitions are written at the end, when the number of events per location is known.

#include <otf2/otf2.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interchange/time_line.h"
#include "recording/recording.h"
#include "trace/communicator_table.h"

namespace parcast::interchange {

/// Keeps the first error that a call of the library returned.
class Outcome {
 public:
  void operator()(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && first_ == OTF2_SUCCESS) first_ = code;
  }
  bool good() const { return first_ == OTF2_SUCCESS; }
  OTF2_ErrorCode first() const { return first_; }

 private:
  OTF2_ErrorCode first_ = OTF2_SUCCESS;
};

struct LocationEvents {
  std::uint16_t thread = 0;
  std::uint64_t records = 0;
};

class Otf2Definitions {
 public:
  Otf2Definitions(const recording::Recording& recording, const trace::CommunicatorTable& communicators);

  OTF2_StringRef string(std::string_view text);
  OTF2_RegionRef region_of_call(std::uint16_t call);  // `call` is an index into Recording::calls
  OTF2_RegionRef region_of_user(const std::string& name);
  OTF2_RegionRef region_of_phase(const std::string& name);
  OTF2_SourceCodeLocationRef source(const std::string& file, int line);
  OTF2_RmaWinRef window(OTF2_CommRef communicator);

  /// Locations of each rank, in order of thread.
  std::vector<std::vector<LocationEvents>> locations;
  std::uint64_t first = 0, last = 0;  // first and last time stamp of the archive

  void write(OTF2_GlobalDefWriter* writer, const TimeLine& line, Outcome& outcome);

 private:
  void describe_run();
  void describe_process(const recording::RankRecording& rank, const TimeLine& line);
  void write_regions(OTF2_GlobalDefWriter* writer, Outcome& outcome);
  void write_system(OTF2_GlobalDefWriter* writer, Outcome& outcome);
  void write_communicators(OTF2_GlobalDefWriter* writer, Outcome& outcome);
  void write_topologies(OTF2_GlobalDefWriter* writer, Outcome& outcome);
  void write_coordinates(OTF2_GlobalDefWriter* writer,
                         const std::map<OTF2_CommRef, OTF2_CartTopologyRef>& topologies, Outcome& outcome);

  struct Property {
    std::uint32_t owner;
    OTF2_StringRef name;
    OTF2_Type type;
    OTF2_AttributeValue value;
  };
  void add(std::vector<Property>& list, std::uint32_t owner, std::string_view name, std::string_view value);
  void add(std::vector<Property>& list, std::uint32_t owner, std::string_view name, double value);
  void add(std::vector<Property>& list, std::uint32_t owner, std::string_view name, std::uint64_t value);

  const recording::Recording& recording_;
  const trace::CommunicatorTable& communicators_;
  std::map<std::string, OTF2_StringRef, std::less<>> strings_;
  // set while definitions are written: a string must be written before its first use
  OTF2_GlobalDefWriter* writer_ = nullptr;
  Outcome* outcome_ = nullptr;
  std::map<std::string, OTF2_RegionRef> calls_, users_, phases_;
  // name and call; the call is null for a region of the user
  std::vector<std::pair<std::string, const recording::Call*>> regions_;
  std::map<std::pair<std::string, int>, OTF2_SourceCodeLocationRef> sources_;
  std::vector<std::pair<std::string, int>> places_;  // source locations by number
  std::map<OTF2_CommRef, OTF2_RmaWinRef> windows_;
  std::vector<Property> run_, processes_;
};

}  // namespace parcast::interchange
