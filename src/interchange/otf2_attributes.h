// SPDX-License-Identifier: Apache-2.0
#pragma once
// The attributes of a record with which Parcast stores what OTF2 has no record for (otf2_names.h), as far as
// they are present.

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>

#include "interchange/otf2_archive.h"
#include "recording/recording.h"

namespace parcast::interchange {

struct RecordAttributes {
  bool assumed = false, switched = false;
  OTF2_StringRef site = OTF2_UNDEFINED_STRING, sent_shares = OTF2_UNDEFINED_STRING,
                 received_shares = OTF2_UNDEFINED_STRING;
  OTF2_CommRef created = OTF2_UNDEFINED_COMM, communicator = OTF2_UNDEFINED_COMM;
  std::optional<std::int64_t> compute;
  std::int64_t stolen = 0;
  std::uint32_t repeats = 1;
  std::uint64_t request = 0;
  std::optional<recording::Message> sent, received;
  recording::Asked asked = recording::Asked::unknown;
};

RecordAttributes attributes_of(const Otf2Archive& archive, const OTF2_AttributeList* list);

}  // namespace parcast::interchange
