// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of the attributes of events and properties of definitions in which Parcast stores what OTF2 has no
// record for. With them, a recording that was exported and imported is the same. docs/formats/otf2.md gives
// the meaning of each.

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace parcast::interchange {

enum class Attribute : std::uint8_t {
  site,
  source,
  compute,
  switched,
  stolen,
  repeats,
  created,
  communicator,
  request,
  assumed,
  sent_peer,
  sent_tag,
  sent_bytes,
  received_peer,
  received_tag,
  received_bytes,
  sent_shares,
  received_shares,
  asked,
  phase,
  operations,
  quantums,
  count
};

struct AttributeName {
  const char* name;
  const char* description;
  OTF2_Type type;
};

inline constexpr std::array<AttributeName, static_cast<std::size_t>(Attribute::count)> kAttributes{{
    {"PARCAST::SITE", "return address of the call: offset in a module, its build id, its path",
     OTF2_TYPE_STRING},
    {"PARCAST::SOURCE", "place in the source that made the call", OTF2_TYPE_SOURCE_CODE_LOCATION},
    {"PARCAST::COMPUTE", "nanoseconds on the processor since the call before", OTF2_TYPE_INT64},
    {"PARCAST::SWITCHED", "another thread had the processor since the call before", OTF2_TYPE_UINT8},
    {"PARCAST::STOLEN", "nanoseconds off the processor during the call", OTF2_TYPE_INT64},
    {"PARCAST::REPEATS", "calls that this one represents", OTF2_TYPE_UINT32},
    {"PARCAST::CREATED", "communicator that the call made", OTF2_TYPE_COMM},
    {"PARCAST::COMMUNICATOR", "communicator that the call refers to", OTF2_TYPE_COMM},
    {"PARCAST::REQUEST", "request that the call started", OTF2_TYPE_UINT64},
    {"PARCAST::ASSUMED", "the region was open, but its begin or end was not recorded here", OTF2_TYPE_UINT8},
    {"PARCAST::SENT_PEER", "rank in MPI_COMM_WORLD; -1 none, -2 any, -3 outside", OTF2_TYPE_INT32},
    {"PARCAST::SENT_TAG", "tag", OTF2_TYPE_INT32},
    {"PARCAST::SENT_BYTES", "bytes sent, contributed or written", OTF2_TYPE_UINT64},
    {"PARCAST::RECEIVED_PEER", "rank in MPI_COMM_WORLD; -1 none, -2 any, -3 outside", OTF2_TYPE_INT32},
    {"PARCAST::RECEIVED_TAG", "tag", OTF2_TYPE_INT32},
    {"PARCAST::RECEIVED_BYTES", "bytes received, asked for or read", OTF2_TYPE_UINT64},
    {"PARCAST::SENT_SHARES", "runs of partners and bytes for each: first:stride:count:bytes,...",
     OTF2_TYPE_STRING},
    {"PARCAST::RECEIVED_SHARES", "runs of partners and bytes from each: first:stride:count:bytes,...",
     OTF2_TYPE_STRING},
    {"PARCAST::ASKED",
     "what a blocking receive asked for: 1 source and tag, 2 any source, 3 any tag, 4 anything",
     OTF2_TYPE_UINT8},
    {"PARCAST::PHASE", "what the phase's time goes to: computation, communication or idle", OTF2_TYPE_STRING},
    {"PARCAST::OPERATIONS", "equal operations that the phase made", OTF2_TYPE_DOUBLE},
    {"PARCAST::QUANTUMS", "units of data that the phase handled or moved", OTF2_TYPE_DOUBLE},
}};

constexpr OTF2_AttributeRef ref(Attribute attribute) {
  return static_cast<OTF2_AttributeRef>(attribute);
}

/// Properties of the root of the system tree: the run.
inline constexpr std::string_view kProgram = "PARCAST::PROGRAM", kMpiLibrary = "PARCAST::MPI_LIBRARY",
                                  kMachineSummary = "PARCAST::MACHINE_SUMMARY",
                                  kCoresPerHost = "PARCAST::CORES_PER_HOST", kExitCode = "PARCAST::EXIT_CODE",
                                  kLaunchSeconds = "PARCAST::LAUNCH_SECONDS",
                                  kExecutableDigest = "PARCAST::EXECUTABLE_DIGEST",
                                  kStarted = "PARCAST::STARTED", kVirtualMachine = "PARCAST::VIRTUAL_MACHINE",
                                  kOutsideOfRun = "PARCAST::OUTSIDE::",
                                  kAcceleratorSeconds = "PARCAST::ACCELERATOR_SECONDS",
                                  kParameter = "PARCAST::PARAMETER::", kWord = "PARCAST::COMMAND::";
/// Properties of a location group: one process.
inline constexpr std::string_view kZero = "PARCAST::ZERO", kOverhead = "PARCAST::OVERHEAD",
                                  kCores = "PARCAST::CORES", kShare = "PARCAST::PROCESSOR_SHARE",
                                  kPeakMemory = "PARCAST::PEAK_MEMORY", kUnfollowed = "PARCAST::UNFOLLOWED::",
                                  kOwnParameter = "PARCAST::OWN_PARAMETER::",
                                  kFinalised = "PARCAST::FINALISED",
                                  kArgument = "PARCAST::ARGUMENT::", kLibrary = "PARCAST::LIBRARY";

/// Thread number of the extra location of a process that holds its phases. Phases tile the time of the
/// process, and regions may cross their ends.
inline constexpr std::uint16_t kPhaseLine = UINT16_MAX;

/// Returns the location of a thread. Threads of a process differ in the high half.
constexpr OTF2_LocationRef location_of(std::int32_t rank, std::uint16_t thread) {
  return static_cast<OTF2_LocationRef>(rank) | OTF2_LocationRef{thread} << 32;
}

}  // namespace parcast::interchange
