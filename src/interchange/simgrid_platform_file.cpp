// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <pugixml.hpp>

#include "base/files.h"
#include "base/text.h"
#include "interchange/simgrid_platform.h"
#include "interchange/simgrid_units.h"
#include "recording/definitions.h"

namespace parcast::interchange {
namespace {

constexpr std::int64_t kMostNodes = std::numeric_limits<std::int32_t>::max();

/// The text of the file; makes errors with the line of an offset.
class Source {
 public:
  Source(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}
  Error at(std::ptrdiff_t offset, std::string what, std::string hint = "") const {
    const auto end =
        text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return {std::move(what), where_ + ":" + std::to_string(1 + std::count(text_.begin(), end, '\n')),
            std::move(hint)};
  }
  Error at(const pugi::xml_node& node, std::string what, std::string hint = "") const {
    return at(node.offset_debug(), std::move(what), std::move(hint));
  }
  Error whole(std::string what, std::string hint) const { return {std::move(what), where_, std::move(hint)}; }

 private:
  std::string_view text_;
  std::string where_;
};

std::string tag(const pugi::xml_node& node) {
  return "<" + std::string(node.name()) + ">";
}

/// Returns the clusters in the platform and its zones, which may be nested to any depth.
std::vector<pugi::xml_node> clusters_in(const pugi::xml_node& platform) {
  std::vector<pugi::xml_node> clusters, next{platform.first_child()};
  while (!next.empty()) {
    const pugi::xml_node node = next.back();
    if (!node) {
      next.pop_back();
      continue;
    }
    next.back() = node.next_sibling();
    const std::string_view name = node.name();
    if (name == "cluster") clusters.push_back(node);
    if (name == "zone" || name == "AS") next.push_back(node.first_child());
  }
  return clusters;
}

/// Returns the number of nodes in a radical such as "0-9,12".
Result<std::int64_t> radical_size(const std::string& radical) {
  std::int64_t count = 0;
  for (const std::string& part : split(radical, ',')) {
    const auto dash = part.find('-');
    const auto first = parse_integer(trim(std::string_view(part).substr(0, dash)));
    const auto last =
        dash == std::string::npos ? first : parse_integer(trim(std::string_view(part).substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMostNodes)
      return Error{"\"" + part + "\" is not a range of nodes", "", "write for example 0-15"};
    count += *last - *first + 1;
    if (count > kMostNodes) return Error{"it names more than two thousand million nodes", "", ""};
  }
  return count;
}

/// Reads one <cluster>.
class Cluster {
 public:
  Cluster(const pugi::xml_node& node, const Source& source) : node_(node), source_(source) {}

  Result<machine::Machine> read() {
    PARCAST_TRY(refuse());
    machine_.name = recording::clean_text(node_.attribute("id").as_string());
    if (machine_.name.empty()) machine_.name = "cluster";
    machine_.description = "cluster " + machine_.name + " of a SimGrid platform file";
    PARCAST_TRY(nodes());
    PARCAST_TRY(speed());
    PARCAST_TRY(network());
    PARCAST_TRY(loopback());
    note_what_is_left();
    PARCAST_TRY(machine::check(machine_));
    return std::move(machine_);
  }

 private:
  Result<void> refuse() const {
    const std::string_view topology = node_.attribute("topology").as_string("FLAT");
    if (topology != "FLAT")
      return source_.at(
          node_,
          "the cluster is a " + std::string(topology) +
              ", whose routes have different lengths, and a machine has one latency between nodes",
          "give a FLAT cluster (topology left out) with the latency and bandwidth of a usual route");
    for (const char* child : {"host_link", "cabinet", "backbone"})
      if (node_.child(child))
        return source_.at(node_.child(child),
                          std::string("<") + child + "> within a cluster is not understood", "");
    return {};
  }

  /// Returns nothing if the attribute is missing.
  Result<std::optional<double>> value(const char* name, SimgridDimension dimension) const {
    const pugi::xml_attribute attribute = node_.attribute(name);
    if (!attribute) return std::optional<double>();
    const auto read = simgrid_value(attribute.value(), dimension);
    if (!read) return source_.at(node_, std::string(name) + ": " + read.error().what, read.error().hint);
    return std::optional(*read);
  }

  Result<double> needed(const char* name, SimgridDimension dimension) const {
    PARCAST_ASSIGN(const auto found, value(name, dimension));
    if (found) return *found;
    return source_.at(node_, "the cluster has no " + std::string(name), "");
  }

  Result<double> bandwidth(const char* name) const {
    PARCAST_ASSIGN(const double found, needed(name, SimgridDimension::bandwidth));
    if (found > 0) return found;
    return source_.at(node_, std::string(name) + " is 0, and nothing could be sent", "");
  }

  Result<void> nodes() {
    const auto count = radical_size(node_.attribute("radical").as_string());
    if (!count) return source_.at(node_, "radical: " + count.error().what, count.error().hint);
    machine_.nodes = static_cast<std::int32_t>(*count);
    const pugi::xml_attribute core = node_.attribute("core");
    const auto cores = core ? parse_integer(trim(core.value())) : std::optional<long long>(1);
    if (!cores || *cores < 1 || *cores > kMostNodes)
      return source_.at(
          node_, "core is \"" + std::string(core.value()) + "\", but must be a whole number from 1", "");
    machine_.cores_per_node = static_cast<std::int32_t>(*cores);
    return {};
  }

  Result<void> speed() {
    const char* name = node_.attribute("speed") ? "speed" : "power";  // the name in version 3
    const std::vector<std::string> states = split(node_.attribute(name).as_string(), ',');
    const auto read = simgrid_value(states[0], SimgridDimension::speed);
    if (!read || *read <= 0)
      return source_.at(node_, "the cluster has no speed of its hosts", "write for example speed=\"1Gf\"");
    machine_.core_speed = assumed(*read);
    machine_.notes.push_back(
        "the core speed is the file's, in floating-point operations a second: it compares with machines of "
        "other platform files, not with measured ones");
    if (states.size() > 1)
      machine_.notes.push_back("hosts have " + std::to_string(states.size()) +
                               " speeds, of which the first was taken: " + recording::clean_text(states[0]));
    return {};
  }

  /// Computes the costs of a route: the link of one node, the backbone if there is one, and the link of the
  /// other node.
  Result<void> network() {
    PARCAST_ASSIGN(double slowest, bandwidth("bw"));
    PARCAST_ASSIGN(double latency, needed("lat", SimgridDimension::latency));
    latency *= 2;
    if (node_.attribute("bb_bw")) {
      PARCAST_ASSIGN(const double backbone, bandwidth("bb_bw"));
      PARCAST_ASSIGN(const auto backbone_latency, value("bb_lat", SimgridDimension::latency));
      slowest = std::min(slowest, backbone);
      latency += backbone_latency.value_or(0);
      if (std::string_view(node_.attribute("bb_sharing_policy").as_string("SHARED")) != "FATPIPE")
        machine_.notes.push_back("all nodes share the backbone of " + format_bytes(backbone) +
                                 "/s: here every message has that for itself");
    }
    if (node_.attribute("limiter_link")) {
      PARCAST_ASSIGN(const double limiter, bandwidth("limiter_link"));
      slowest = std::min(slowest, limiter);
      machine_.notes.push_back("a node's limiter is taken for a bound of each message, not of all together");
    }
    if (std::string_view(node_.attribute("sharing_policy").as_string("SPLITDUPLEX")) == "SHARED")
      machine_.notes.push_back(
          "what a node sends and receives shares its link: here the two directions have it each");
    machine::Link& link = machine_.links["network"];
    link.latency = assumed(latency);
    link.gap_per_byte = assumed(1 / slowest);
    return {};
  }

  Result<void> loopback() {
    const bool bandwidth_given = node_.attribute("loopback_bw"),
               latency_given = node_.attribute("loopback_lat");
    if (!bandwidth_given && !latency_given) return {};
    if (bandwidth_given != latency_given)
      return source_.at(node_, "a loopback has loopback_bw and loopback_lat, and one of them is missing", "");
    PARCAST_ASSIGN(const double rate, bandwidth("loopback_bw"));
    PARCAST_ASSIGN(const double latency, needed("loopback_lat", SimgridDimension::latency));
    machine::Link& link = machine_.links["node"];
    link.latency = assumed(latency);
    link.gap_per_byte = assumed(1 / rate);
    return {};
  }

  void note_what_is_left() {
    machine_.notes.emplace_back(
        "overheads of the processor are not in the file and count as 0; the factors of SimGrid's network "
        "models (LV08, SMPI) were not applied");
    for (const char* file : {"availability_file", "state_file"})
      if (node_.attribute(file))
        machine_.notes.push_back(std::string(file) + " was not taken: nodes are always there");
  }

  static machine::Parameter assumed(double value) { return {value, 0, 0, Origin::assumed}; }

  pugi::xml_node node_;
  const Source& source_;
  machine::Machine machine_;
};

}  // namespace

bool is_simgrid_platform(std::string_view first_bytes) {
  return trim(first_bytes).starts_with('<') && first_bytes.find("<platform") != std::string_view::npos;
}

Result<machine::Machine> simgrid_platform(std::string_view text, const std::string& where) {
  const Source source(text, where);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) return source.at(parsed.offset, "this is not XML: " + std::string(parsed.description()));
  const pugi::xml_node platform = document.child("platform");
  if (!platform) return source.whole("this is not a platform of SimGrid: it has no <platform>", "");
  const std::vector<pugi::xml_node> clusters = clusters_in(platform);
  if (clusters.empty())
    return source.whole("the platform has no <cluster>",
                        "hosts and links one by one are not understood; describe them as a cluster");
  if (clusters.size() > 1)
    return source.at(
        clusters[1],
        "the platform has " + std::to_string(clusters.size()) + " clusters, and a machine is one of them",
        "leave one " + tag(clusters[1]) + " in the file");
  PARCAST_ASSIGN(machine::Machine machine, Cluster(clusters[0], source).read());
  for (const pugi::xml_node& prop : platform.child("config").children("prop"))
    machine.notes.push_back("the setting " + recording::clean_text(prop.attribute("id").as_string()) +
                            " was not taken");
  return machine;
}

Result<machine::Machine> read_simgrid_platform(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return simgrid_platform(text, path.string());
}

}  // namespace parcast::interchange
