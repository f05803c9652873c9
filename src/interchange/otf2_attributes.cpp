// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_attributes.h"

#include <algorithm>

namespace parcast::interchange {
namespace {

recording::Message& side(std::optional<recording::Message>& message) {
  return message ? *message : message.emplace();
}

void take(RecordAttributes& into, Attribute which, const OTF2_AttributeValue& value) {
  switch (which) {
    case Attribute::site:
      into.site = value.stringRef;
      break;
    case Attribute::compute:
      into.compute = std::max<std::int64_t>(value.int64, 0);
      break;
    case Attribute::switched:
      into.switched = value.uint8 != 0;
      break;
    case Attribute::stolen:
      into.stolen = value.int64;
      break;
    case Attribute::repeats:
      into.repeats = std::max<std::uint32_t>(value.uint32, 1);
      break;
    case Attribute::created:
      into.created = value.commRef;
      break;
    case Attribute::communicator:
      into.communicator = value.commRef;
      break;
    case Attribute::request:
      into.request = value.uint64;
      break;
    case Attribute::assumed:
      into.assumed = value.uint8 != 0;
      break;
    case Attribute::sent_peer:
      side(into.sent).peer = value.int32;
      break;
    case Attribute::sent_tag:
      side(into.sent).tag = value.int32;
      break;
    case Attribute::sent_bytes:
      side(into.sent).bytes = value.uint64;
      break;
    case Attribute::received_peer:
      side(into.received).peer = value.int32;
      break;
    case Attribute::received_tag:
      side(into.received).tag = value.int32;
      break;
    case Attribute::received_bytes:
      side(into.received).bytes = value.uint64;
      break;
    case Attribute::sent_shares:
      into.sent_shares = value.stringRef;
      break;
    case Attribute::received_shares:
      into.received_shares = value.stringRef;
      break;
    case Attribute::asked:
      into.asked = value.uint8 <= static_cast<std::uint8_t>(recording::Asked::anything)
                       ? static_cast<recording::Asked>(value.uint8)
                       : recording::Asked::unknown;
      break;
    case Attribute::phase:  // occur only on locations that are not read
    case Attribute::operations:
    case Attribute::quantums:
    case Attribute::source:  // derived again from the site
    case Attribute::count:
      break;
  }
}

}  // namespace

RecordAttributes attributes_of(const Otf2Archive& archive, const OTF2_AttributeList* list) {
  RecordAttributes out;
  if (archive.attributes.empty()) return out;
  const std::uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
  for (std::uint32_t i = 0; i < count; ++i) {
    OTF2_AttributeRef number;
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(list, i, &number, &type, &value) != OTF2_SUCCESS) break;
    const auto ours = archive.attributes.find(number);
    if (ours != archive.attributes.end() && kAttributes[static_cast<std::size_t>(ours->second)].type == type)
      take(out, ours->second, value);
  }
  return out;
}

}  // namespace parcast::interchange
