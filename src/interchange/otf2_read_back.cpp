// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_read_back.h"

#include <memory>

#include "interchange/otf2_handles.h"

namespace parcast::interchange {
namespace {

bool definitions_are_whole(OTF2_Reader* reader) {
  std::uint64_t wanted = 0, read = 0;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (!definitions || OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &wanted) != OTF2_SUCCESS) return false;
  const bool good =
      OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) == OTF2_SUCCESS && read == wanted;
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return good;
}

bool is_whole(OTF2_Reader* reader, OTF2_LocationRef location, std::uint64_t records,
              const std::function<void()>& each_so_many) {
  constexpr std::uint64_t kAtOnce = 65536;
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
  if (!events) return false;
  std::uint64_t all = 0, read = kAtOnce;
  bool good = true;
  while (good && read == kAtOnce) {
    good = OTF2_Reader_ReadLocalEvents(reader, events, kAtOnce, &read) == OTF2_SUCCESS;
    all += read;
    each_so_many();
  }
  OTF2_Reader_CloseEvtReader(reader, events);
  return good && all == records;
}

}  // namespace

std::string missing_in(const std::filesystem::path& anchor,
                       const std::map<OTF2_LocationRef, std::uint64_t>& records,
                       const std::function<void()>& each_so_many) {
  const std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader) return "its first file cannot be read back";
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  if (!definitions_are_whole(reader.get())) return "its definitions cannot be read back";
  for (const auto& [location, count] : records) OTF2_Reader_SelectLocation(reader.get(), location);
  if (OTF2_Reader_OpenEvtFiles(reader.get()) != OTF2_SUCCESS) return "its events cannot be read back";
  for (const auto& [location, count] : records)
    if (!is_whole(reader.get(), location, count, each_so_many))
      return "the events of rank " + std::to_string(location & UINT32_MAX) + " cannot be read back";
  return "";
}

}  // namespace parcast::interchange
