// SPDX-License-Identifier: Apache-2.0
#include "build_model/call_place.h"

#include <filesystem>
#include <utility>

#include "base/text.h"

namespace parcast::program {

CallPlace place_of(const CallKey& key) {
  std::string path;
  for (const std::string& name : key.path) path += name + "/";
  return {std::move(path), key.name, key.where};
}

CallPlace place_of(const Model& model, const Node& call) {
  std::string path;
  for (NodeId at = call.parent; at != kNone; at = model.nodes[static_cast<std::size_t>(at)].parent)
    if (const Node& node = model.nodes[static_cast<std::size_t>(at)]; node.kind == NodeKind::region)
      path = node.label + "/" + path;
  return {std::move(path), call.label, call.where};
}

CallPlace place_of(const trace::Place& place) {
  std::string path;
  for (const std::string& name : split(place.region, '/'))
    if (!name.empty()) path += name + "/";
  const std::string where = place.file.empty() ? place.function
                                               : std::filesystem::path(place.file).filename().string() + ":" +
                                                     std::to_string(place.line);
  return {std::move(path), place.call, where};
}

}  // namespace parcast::program
