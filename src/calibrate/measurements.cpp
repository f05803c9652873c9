// SPDX-License-Identifier: Apache-2.0
#include "calibrate/measurements.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"

namespace parcast::calibrate {
namespace {

constexpr std::size_t kMostShown = 120;  // characters of a damaged line in an error
constexpr std::string_view kHead = "parcast-measurements 3";

std::string words(std::initializer_list<std::string> parts) {
  return join(std::vector<std::string>(parts), " ") + "\n";
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

/// Takes the words of one line from the left; an invalid word invalidates the line.
class WordLine {
 public:
  explicit WordLine(const std::string& text) : rest_(text) {}

  std::string word() {
    const auto end = rest_.find(' ');
    std::string out(rest_.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (out.empty()) sound_ = false;
    return out;
  }
  double number() {
    const auto value = parse_double(word());
    if (!value) sound_ = false;
    return value.value_or(0);
  }
  std::int64_t whole() {
    const auto value = parse_integer(word());
    if (!value) sound_ = false;
    return value.value_or(0);
  }
  std::int32_t small() {
    const std::int64_t value = whole();
    if (value < -1 || value > std::numeric_limits<std::int32_t>::max()) return sound_ = false, 0;
    return static_cast<std::int32_t>(value);
  }
  std::string rest() { return std::string(std::exchange(rest_, std::string_view())); }
  bool sound() const { return sound_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

TablePoint point_of(WordLine& line) {
  TablePoint point;
  point.table = line.word(), point.processes = line.small(), point.bytes = line.number();
  point.seconds = line.number(), point.standard_error = line.number(), point.samples = line.whole();
  point.low = line.number(), point.high = line.number(), point.outliers = line.whole();
  return point;
}

std::string line_of(const std::string& kind, const TablePoint& point) {
  return words({kind, point.table, std::to_string(point.processes), format_exact(point.bytes),
                format_exact(point.seconds), format_exact(point.standard_error),
                std::to_string(point.samples), format_exact(point.low), format_exact(point.high),
                std::to_string(point.outliers)});
}

/// Writes repeats with nine digits, more than the resolution of any clock.
std::string repeats_line(const std::vector<double>& repeats) {
  if (repeats.empty()) return "";
  std::string out = "repeats";
  for (const double repeat : repeats) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, repeat, std::chars_format::general, 9);
    out += ' ';
    out.append(text, end.ptr);
  }
  return out + "\n";
}

/// `repeats`: where the repeats of the previous line belong.
bool take(WordLine& line, const std::string& kind, Measurements& into, std::vector<double>*& repeats) {
  std::vector<double>* const of = std::exchange(repeats, nullptr);
  if (kind == "repeats") {
    if (!of) return false;
    for (const std::string& word : split(line.rest(), ' ')) {
      const auto value = parse_double(word);
      if (!value) return false;
      of->push_back(*value);
    }
    return true;
  }
  if (kind == "processes") return into.processes = line.small(), true;
  if (kind == "processor") return into.processor = line.rest(), true;
  if (kind == "mpi") return into.mpi_library = line.rest(), true;
  if (kind == "environment") {
    const std::string name = line.word();
    return into.environment[name] = line.rest(), true;
  }
  if (kind == "cores") return into.cores = line.small(), true;
  if (kind == "sockets") return into.sockets = line.small(), true;
  if (kind == "threads") return into.threads_per_core = line.small(), true;
  if (kind == "memories") return into.memories = line.small(), true;
  if (kind == "memory") return into.memory = line.number(), true;
  if (kind == "page") return into.page = line.number(), true;
  if (kind == "cache_line") return into.cache_line = line.number(), true;
  if (kind == "note") return into.notes.push_back(line.rest()), true;
  if (kind == "bound") return into.bound.processes = line.small(), into.bound.processors = line.small(), true;
  if (kind == "place") {
    Place place;
    place.node = line.small(), place.socket = line.small(), place.kernel = line.small();
    return into.places.push_back(place), true;
  }
  if (kind == "cache") {
    Cache cache;
    cache.name = line.word(), cache.bytes = line.number(), cache.shared_by = line.small();
    return into.caches.push_back(cache), true;
  }
  if (kind == "table" || kind == "kept_out") {
    auto& points = kind == "table" ? into.points : into.kept_out;
    points.push_back(point_of(line));
    return repeats = &points.back().repeats, true;
  }
  if (kind == "value") {
    Value value;
    value.name = line.word(), value.value = line.number(), value.standard_error = line.number();
    value.samples = line.whole();
    into.values.push_back(value);
    return repeats = &into.values.back().repeats, true;
  }
  if (kind == "left_out") {
    Omission left;
    left.table = line.word(), left.processes = line.small(), left.bytes = line.number();
    return into.left_out.push_back(left), true;
  }
  if (kind == "rough") return into.rough.push_back(line.word()), true;
  if (kind == "sweep") {
    SweepPoint point;
    point.cores = line.small(), point.bytes = line.number();
    point.seconds_per_load = line.number(), point.bytes_per_second = line.number();
    return into.sweep.push_back(point), true;
  }
  return false;
}

}  // namespace

std::string to_text(const Measurements& m) {
  std::string out = std::string(kHead) + "\n";
  out += words({"processes", std::to_string(m.processes)});
  if (!m.processor.empty()) out += "processor " + one_line(m.processor) + "\n";
  if (!m.mpi_library.empty()) out += "mpi " + one_line(m.mpi_library) + "\n";
  for (const auto& [name, text] : m.environment) out += "environment " + name + " " + one_line(text) + "\n";
  out += words({"cores", std::to_string(m.cores)}) + words({"sockets", std::to_string(m.sockets)});
  out += words({"threads", std::to_string(m.threads_per_core)}) +
         words({"memories", std::to_string(m.memories)});
  out += words({"memory", format_exact(m.memory)}) + words({"page", format_exact(m.page)});
  out += words({"cache_line", format_exact(m.cache_line)});
  if (m.bound.processes > 0)
    out += words({"bound", std::to_string(m.bound.processes), std::to_string(m.bound.processors)});
  for (const Place& place : m.places)
    out += words(
        {"place", std::to_string(place.node), std::to_string(place.socket), std::to_string(place.kernel)});
  for (const Cache& cache : m.caches)
    out += words({"cache", cache.name, format_exact(cache.bytes), std::to_string(cache.shared_by)});
  for (const TablePoint& point : m.points) out += line_of("table", point) + repeats_line(point.repeats);
  for (const TablePoint& point : m.kept_out) out += line_of("kept_out", point) + repeats_line(point.repeats);
  for (const Value& value : m.values)
    out += words({"value", value.name, format_exact(value.value), format_exact(value.standard_error),
                  std::to_string(value.samples)}) +
           repeats_line(value.repeats);
  for (const SweepPoint& point : m.sweep)
    out += words({"sweep", std::to_string(point.cores), format_exact(point.bytes),
                  format_exact(point.seconds_per_load), format_exact(point.bytes_per_second)});
  for (const Omission& left : m.left_out)
    out += words({"left_out", left.table, std::to_string(left.processes), format_exact(left.bytes)});
  for (const std::string& table : m.rough) out += words({"rough", table});
  for (const std::string& note : m.notes) out += "note " + one_line(note) + "\n";
  return out + "end\n";
}

bool is_final(const Measurements& measurements) {
  const auto says = [&](const auto& what) { return std::ranges::any_of(measurements.notes, what); };
  return !says([](const std::string& note) { return note.starts_with(kWithoutOneSided); }) ||
         says([](const std::string& note) { return note.find(kEndedEarly) != std::string::npos; });
}

Result<Measurements> measurements_from(const std::string& text, const std::string& where) {
  Measurements out;
  const std::vector<std::string> lines = split(text, '\n');
  if (lines[0] != kHead) return Error{"this is not what the training program writes", where + ":1", ""};
  std::vector<double>* repeats = nullptr;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i] == "end") return out;
    WordLine line(lines[i]);
    const std::string kind = line.word();
    if (!take(line, kind, out, repeats) || !line.sound())
      return Error{"this line of the measurements is damaged: \"" + lines[i].substr(0, kMostShown) + "\"",
                   where + ":" + std::to_string(i + 1), ""};
  }
  return Error{"the training program did not come to its end", where, ""};
}

}  // namespace parcast::calibrate
