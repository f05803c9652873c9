// SPDX-License-Identifier: Apache-2.0
// Callbacks of the OTF2 library for the definitions that an import uses.

#include <memory>

#include "interchange/otf2_archive.h"
#include "interchange/otf2_handles.h"
#include "recording/definitions.h"

namespace parcast::interchange {
namespace {

/// The definitions read so far. References to definitions that may come later are resolved at the end.
struct Reading {
  Otf2Archive archive;
  std::unordered_map<OTF2_RegionRef, OTF2_StringRef> region_names;
  std::map<OTF2_AttributeRef, OTF2_StringRef> attribute_names;
  std::map<OTF2_CommRef, OTF2_StringRef> communicator_names;
  std::map<OTF2_SystemTreeNodeRef, std::pair<OTF2_StringRef, OTF2_StringRef>> node_names;
  std::map<OTF2_LocationGroupRef, OTF2_StringRef> process_names;
  std::map<OTF2_CartDimensionRef, std::pair<std::uint32_t, bool>> dimensions;
  std::map<OTF2_CartTopologyRef, std::pair<OTF2_CommRef, std::vector<OTF2_CartDimensionRef>>> topologies;
  std::map<OTF2_CartTopologyRef, std::map<std::uint32_t, std::vector<std::uint32_t>>> coordinates;
  struct RawProperty {
    bool of_node;
    std::uint32_t owner;
    OTF2_StringRef name;
    PropertyValue value;
  };
  std::vector<RawProperty> properties;
};

Reading& in(void* data) {
  return *static_cast<Reading*>(data);
}

OTF2_CallbackCode clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                        std::uint64_t day) {
  Otf2Archive& archive = in(data).archive;
  archive.resolution = resolution;
  archive.offset = offset;
  archive.day = day;
  return kGoOn;
}

OTF2_CallbackCode string(void* data, OTF2_StringRef self, const char* text) {
  in(data).archive.strings.emplace(self, recording::clean_text(text ? text : ""));
  return kGoOn;
}

OTF2_CallbackCode attribute(void* data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_Type) {
  in(data).attribute_names.emplace(self, name);
  return kGoOn;
}

OTF2_CallbackCode node(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef kind,
                       OTF2_SystemTreeNodeRef parent) {
  in(data).archive.nodes[self].parent = parent;
  in(data).node_names.emplace(self, std::pair(name, kind));
  return kGoOn;
}

OTF2_CallbackCode domain(void* data, OTF2_SystemTreeNodeRef self, OTF2_SystemTreeDomain kind) {
  if (kind == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY) in(data).archive.nodes[self].shares_memory = true;
  return kGoOn;
}

OTF2_CallbackCode process_group(void* data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                OTF2_LocationGroupRef) {
  in(data).archive.processes.emplace(self, ArchiveProcess{"", type, parent});
  in(data).process_names.emplace(self, name);
  return kGoOn;
}

OTF2_CallbackCode location(void* data, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType type,
                           std::uint64_t records, OTF2_LocationGroupRef group) {
  in(data).archive.locations.push_back({self, type, records, group});
  return kGoOn;
}

OTF2_CallbackCode paradigm(void* data, OTF2_Paradigm self, OTF2_StringRef, OTF2_ParadigmClass kind) {
  if (kind == OTF2_PARADIGM_CLASS_ACCELERATOR) in(data).archive.accelerator_paradigms.insert(self);
  return kGoOn;
}

OTF2_CallbackCode region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                         OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef,
                         std::uint32_t, std::uint32_t) {
  in(data).archive.regions.emplace(self, ArchiveRegion{"", role, paradigm, nullptr});
  in(data).region_names.emplace(self, name);
  return kGoOn;
}

OTF2_CallbackCode context(void* data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                          OTF2_SourceCodeLocationRef, OTF2_CallingContextRef) {
  in(data).archive.contexts.emplace(self, region);
  return kGoOn;
}

OTF2_CallbackCode group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                        OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                        const std::uint64_t* members) {
  if (paradigm != OTF2_PARADIGM_MPI) return kGoOn;
  in(data).archive.groups.emplace(
      self, ArchiveGroup{type, (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0, {members, members + count}});
  return kGoOn;
}

OTF2_CallbackCode communicator(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef members,
                               OTF2_CommRef, OTF2_CommFlag) {
  in(data).archive.communicators.emplace(self, ArchiveCommunicator{members, 0, false, ""});
  in(data).communicator_names.emplace(self, name);
  return kGoOn;
}

OTF2_CallbackCode intercommunicator(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                    OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
  in(data).archive.communicators.emplace(self, ArchiveCommunicator{a, b, true, ""});
  in(data).communicator_names.emplace(self, name);
  return kGoOn;
}

OTF2_CallbackCode window(void* data, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef communicator,
                         OTF2_RmaWinFlag) {
  in(data).archive.windows.emplace(self, communicator);
  return kGoOn;
}

OTF2_CallbackCode node_property(void* data, OTF2_SystemTreeNodeRef owner, OTF2_StringRef name, OTF2_Type type,
                                OTF2_AttributeValue value) {
  in(data).properties.push_back({true, owner, name, {type, value, ""}});
  return kGoOn;
}

OTF2_CallbackCode process_property(void* data, OTF2_LocationGroupRef owner, OTF2_StringRef name,
                                   OTF2_Type type, OTF2_AttributeValue value) {
  in(data).properties.push_back({false, owner, name, {type, value, ""}});
  return kGoOn;
}

OTF2_CallbackCode dimension(void* data, OTF2_CartDimensionRef self, OTF2_StringRef, std::uint32_t size,
                            OTF2_CartPeriodicity periodic) {
  in(data).dimensions.emplace(self, std::pair(size, periodic == OTF2_CART_PERIODIC_TRUE));
  return kGoOn;
}

OTF2_CallbackCode topology(void* data, OTF2_CartTopologyRef self, OTF2_StringRef, OTF2_CommRef communicator,
                           std::uint8_t count, const OTF2_CartDimensionRef* dimensions) {
  in(data).topologies.emplace(
      self, std::pair(communicator, std::vector<OTF2_CartDimensionRef>(dimensions, dimensions + count)));
  return kGoOn;
}

OTF2_CallbackCode coordinate(void* data, OTF2_CartTopologyRef topology, std::uint32_t rank,
                             std::uint8_t count, const std::uint32_t* coordinates) {
  in(data).coordinates[topology].emplace(rank, std::vector<std::uint32_t>(coordinates, coordinates + count));
  return kGoOn;
}

struct DeleteCallbacks {
  void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  }
};

bool register_callbacks(OTF2_Reader* reader, OTF2_GlobalDefReader* definitions, Reading& reading) {
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, DeleteCallbacks> all(
      OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks* to = all.get();
  if (!to) return false;
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(to, clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(to, attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(to, node);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(to, domain);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(to, process_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(to, location);
  OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(to, paradigm);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(to, region);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(to, context);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(to, group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(to, communicator);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(to, intercommunicator);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(to, window);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(to, node_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(to, process_property);
  OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(to, dimension);
  OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(to, topology);
  OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(to, coordinate);
  return OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, to, &reading) == OTF2_SUCCESS;
}

void settle_regions(Reading& reading) {
  Otf2Archive& archive = reading.archive;
  for (auto& [number, region] : archive.regions) {
    region.name = archive.string(reading.region_names[number]);
    const bool marked =
        region.paradigm == OTF2_PARADIGM_MPI || region.paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    if (marked || region.name.starts_with("MPI_")) region.call = find_mpi_call(region.name);
  }
}

void settle_grids(Reading& reading) {
  for (const auto& [number, topology] : reading.topologies) {
    ArchiveGrid grid;
    for (const OTF2_CartDimensionRef each : topology.second) {
      const auto at = reading.dimensions.find(each);
      const std::pair<std::uint32_t, bool> size =
          at == reading.dimensions.end() ? std::pair(0u, false) : at->second;
      grid.extents.push_back(static_cast<std::int32_t>(size.first & INT32_MAX));
      grid.periodic.push_back(size.second);
    }
    grid.coordinates = std::move(reading.coordinates[number]);
    std::erase_if(grid.coordinates,
                  [&](const auto& place) { return place.second.size() != grid.extents.size(); });
    reading.archive.grids.emplace(topology.first, std::move(grid));
  }
}

void settle(Reading& reading) {
  Otf2Archive& archive = reading.archive;
  settle_regions(reading);
  settle_grids(reading);
  for (const auto& [number, name] : reading.attribute_names)
    for (std::size_t i = 0; i < kAttributes.size(); ++i)
      if (archive.string(name) == kAttributes[i].name)
        archive.attributes.emplace(number, static_cast<Attribute>(i));
  for (const auto& [number, name] : reading.communicator_names)
    archive.communicators[number].name = archive.string(name);
  for (const auto& [number, names] : reading.node_names) {
    archive.nodes[number].name = archive.string(names.first);
    archive.nodes[number].kind = archive.string(names.second);
  }
  for (const auto& [number, name] : reading.process_names)
    archive.processes[number].name = archive.string(name);
  for (auto& each : reading.properties) {
    if (each.value.type == OTF2_TYPE_STRING) each.value.text = archive.string(each.value.value.stringRef);
    (each.of_node ? archive.of_nodes : archive.of_processes)[each.owner].emplace(archive.string(each.name),
                                                                                 std::move(each.value));
  }
}

}  // namespace

Result<Otf2Archive> read_definitions(OTF2_Reader* reader, const std::string& where) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  Reading reading;
  if (!definitions || !register_callbacks(reader, definitions, reading))
    return Error{"the definitions of the archive cannot be opened", where,
                 "traces.def belongs into the folder of traces.otf2"};
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS) {
    const char* why = OTF2_Error_GetDescription(code);
    return Error{"the definitions of the archive are damaged: " +
                     std::string(why ? why : "the library gives no reason"),
                 where, "nothing can be understood without them"};
  }
  settle(reading);
  if (reading.archive.resolution == 0)
    return Error{"the archive has no clock resolution", where, "is it whole?"};
  return std::move(reading.archive);
}

}  // namespace parcast::interchange
