// SPDX-License-Identifier: Apache-2.0
#pragma once
// --check-races: follows the accesses of all processors between two meetings, where nothing orders them. Two
// processors race when both access an element, and one of them writes. What a processor does to its own
// elements without get and put (for_each, invoke, local) is seen by its effect: elements that have changed.
//
//     a(3): processor 1 writes (race.cpp:12) and processor 2 reads (race.cpp:14) between the same two
//     barriers

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

namespace parcast::collections {

class Watch {
 public:
  explicit Watch(int processors);

  /// The elements of a collection that one processor owns.
  struct Part {
    std::shared_ptr<std::byte> elements;
    std::size_t bytes = 0, element_bytes = 1;
    std::function<std::string(int owner, std::size_t element)> name_of;
  };
  void add(int owner, Part part);

  struct Access {
    int processor = 0;
    std::size_t first = 0, end = 0;  // bytes of the part
    bool writes = false;
    std::source_location where;
  };
  /// `part`: address of the elements that `owner` has.
  void note(const std::byte* part, int owner, const Access& access);
  void note_own(int processor, std::uint64_t elements);
  void begin_region(int processor, const std::string& name);
  void end_region(int processor);

  /// All processors have met: what comes is after what was.
  void meet();

  /// Prints the accesses by region. Throws Error with all races.
  void report() const;

 private:
  struct Watched {
    Part part;
    int owner = 0;
    std::vector<std::byte> before;  // as of the last meeting
    std::vector<Access> accesses;   // since then
  };
  struct Counts {
    std::uint64_t own = 0, others = 0;
  };
  struct Found {
    std::string example;
    std::uint64_t count = 0;
  };

  void add_changes(Watched& watched) const;
  void compare(Watched& watched);
  void add_race(const Watched& watched, const Access& a, const Access& b);
  Counts& counts_of(int processor);

  std::vector<std::unique_ptr<Watched>> parts_;
  std::unordered_map<const std::byte*, Watched*> by_address_;
  std::map<std::string, Found> races_;           // by places in the program
  std::vector<std::vector<std::string>> paths_;  // of open regions, by processor
  std::map<std::string, Counts> counts_;         // by region
};

}  // namespace parcast::collections
