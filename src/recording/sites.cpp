// SPDX-License-Identifier: Apache-2.0
// Finds function, file, line and inlining of return addresses, and the names of functions in paths.

#include <array>
#include <filesystem>
#include <map>
#include <memory>

#include "base/files.h"
#include "recording/debug_file.h"
#include "recording/recording.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

/// Returns the checksum stored in a .gnu_debuglink section: CRC-32, as in gzip.
std::uint32_t link_checksum(const std::string& bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out;
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
      out[i] = value;
    }
    return out;
  }();
  std::uint32_t sum = 0xffffffffu;
  for (const char byte : bytes) sum = table[(sum ^ static_cast<unsigned char>(byte)) & 255] ^ (sum >> 8);
  return ~sum;
}

/// The file of one module, verified to be the one that ran, and its separate debug file if there is one.
class ModuleSource {
 public:
  explicit ModuleSource(const Module& module) : file_(module.path) {
    usable_ = file_.good() && file_.build_id() == module.build_id;
    if (!usable_) return;
    has_units_ = file_.read_units();
    if (!has_units_) find_separate(module);
  }

  Place find(std::uint64_t return_address) {
    Place place;
    if (!usable_ || return_address == 0) return place;
    const std::uint64_t call = return_address - 1;  // the return address may belong to the next line
    const bool found = has_units_ ? file_.find(call, place) : separate_ && separate_->find(call, place);
    if (!found || place.function.empty()) file_.find_symbol(call, place);
    return place;
  }

 private:
  /// Finds the separate debug file by build id, or by the link's name in the folders that debuggers search.
  void find_separate(const Module& module) {
    const fs::path root = "/usr/lib/debug";
    if (module.build_id.size() >= 4 &&
        take(root / ".build-id" / module.build_id.substr(0, 2) / (module.build_id.substr(2) + ".debug"),
             module.build_id))
      return;
    const auto link = file_.debug_link();
    if (!link) return;
    const fs::path folder = fs::path(module.path).parent_path();
    for (const fs::path& path :
         {folder / link->name, folder / ".debug" / link->name, root / folder.relative_path() / link->name}) {
      const auto bytes = read_file(path);
      if (bytes && link_checksum(*bytes) == link->checksum && take(path, module.build_id)) return;
    }
  }

  bool take(const fs::path& path, const std::string& build_id) {
    separate_ = std::make_unique<DebugFile>(path.string());
    if (!separate_->good() || separate_->build_id() != build_id || !separate_->read_units())
      separate_.reset();
    return separate_ != nullptr;
  }

  DebugFile file_;
  std::unique_ptr<DebugFile> separate_;
  bool usable_ = false, has_units_ = false;
};

/// Opens each module's file once, and looks up each address in it once, for all ranks.
class Sources {
 public:
  const Place& find(const Module& module, std::uint64_t return_address) {
    auto& source = sources_[{module.path, module.build_id}];
    if (!source) source = std::make_unique<ModuleSource>(module);
    auto [at, is_new] = known_.try_emplace({source.get(), return_address});
    if (is_new) at->second = source->find(return_address);
    return at->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ModuleSource>> sources_;
  std::map<std::pair<const ModuleSource*, std::uint64_t>, Place> known_;
};

// characters of a function's name in a path: names of templates may have thousands
constexpr std::size_t kLongestName = 200;
// bytes per rank; further paths keep their text
constexpr std::size_t kRoomForPaths = std::size_t{64} << 20;

/// Returns a function's name for a path. A slash separates functions in paths, so in names it becomes a
/// fraction slash.
std::string in_path(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (out.size() >= kLongestName) return out + "...";
    if (c == '/')
      out += "\u2215";
    else
      out += c;
  }
  return out;
}

/// Returns whether the function belongs to the region API (include/parcast) and was not inlined; such
/// functions are not part of the program.
bool is_of_the_interface(const std::string& name) {
  return name.starts_with("parcast::Region::") || name.starts_with("__parcast_MOD_");
}

void name_functions(RankRecording& rank, Sources& sources) {
  for (PathPart& part : rank.path_parts) {
    if (part.module >= rank.modules.size()) continue;
    // inside the function's first instruction
    const Place& place = sources.find(rank.modules[part.module], part.offset + 1);
    const std::string& name =
        place.inlined_into.empty() ? place.function : place.inlined_into.back().function;
    if (!name.empty()) part.name = is_of_the_interface(name) ? "" : in_path(name);
  }
}

void rebuild_paths(RankRecording& rank) {
  std::size_t room = kRoomForPaths;
  for (std::size_t i = 1; i < rank.path_parts.size() && i < rank.regions.size(); ++i) {
    const PathPart& part = rank.path_parts[i];
    if (part.parent >= i) continue;
    std::string path = rank.regions[part.parent];
    if (!path.empty() && !part.name.empty()) path += '/';
    path += part.name;
    if (path.size() > room) continue;
    room -= path.size();
    rank.regions[i] = std::move(path);
  }
}

/// Replaces the place of code of the collections' headers by that of the program's call, into which it was
/// inlined.
void leave_collections(Site& site) {
  std::size_t inner = 0;
  for (; inner < site.inlined_into.size() &&
         site.file.find("include/parcast/collections/") != std::string::npos;
       ++inner) {
    const Frame& caller = site.inlined_into[inner];
    site.function = caller.function;
    site.file = caller.file;
    site.line = caller.line;
  }
  site.inlined_into.erase(site.inlined_into.begin(),
                          site.inlined_into.begin() + static_cast<std::ptrdiff_t>(inner));
}

}  // namespace

void resolve_sites(Recording& recording) {
  Sources sources;
  for (RankRecording& rank : recording.ranks) {
    for (Site& site : rank.sites) {
      if (site.module >= rank.modules.size()) continue;
      const Place& place = sources.find(rank.modules[site.module], site.offset);
      site.function = place.function;
      site.file = place.file;
      site.line = place.line;
      site.inlined_into = place.inlined_into;
      leave_collections(site);
    }
    if (rank.path_parts.empty()) continue;
    name_functions(rank, sources);
    rebuild_paths(rank);
  }
}

}  // namespace parcast::recording
