// SPDX-License-Identifier: Apache-2.0
// What calls in C++ may throw, and where it is caught.

#include <algorithm>
#include <array>
#include <string_view>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

const std::string kException = "_ZTISt9exception";
constexpr std::string_view kThrowsAgain = "__cxa_rethrow";

/// Returns what a library function throws: some class derived from std::exception, or an unknown type.
std::optional<Types> thrown_by_library(const std::string& name) {
  static constexpr std::array kAny{"__cxa_throw", "_Unwind_RaiseException", "_Unwind_ForcedUnwind",
                                   "_Unwind_Resume_or_Rethrow",
                                   "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"};
  static constexpr std::array kOfTypes{"__cxa_bad_cast", "__cxa_bad_typeid"};
  // They throw for a missing locale or file, or a position beyond the end of a string.
  static constexpr std::array kOfStrings{"6substrE", "2atE", "5eraseE", "6insertE", "7replaceE", "7compareE"};
  static constexpr std::array kBegin{"_ZNSt6localeC",     "_ZNSt10filesystem",   "_ZNSt13random_device",
                                     "_ZNSt6thread4join", "_ZNSt6thread6detach", "_ZNSt13basic_filebuf"};
  const auto is_name = [&](std::string_view another) { return name == another; };
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  if (std::ranges::any_of(kAny, is_name)) return Types{};
  const auto throws = [&] {
    if (std::ranges::any_of(kOfTypes, is_name) ||
        (begins("_ZSt") && name.find("__throw_") != std::string::npos))
      return true;
    if (std::ranges::any_of(kBegin, begins)) return !begins("_ZNSt6localeC") || !name.ends_with("Ev");
    const bool is_string = begins("_ZNSt7__cxx1112basic_string") || begins("_ZNKSt7__cxx1112basic_string");
    return is_string && std::ranges::any_of(kOfStrings, [&](std::string_view member) {
             return name.find(member) != std::string::npos;
           });
  };
  return throws() ? std::optional(Types{{kException}, true}) : std::nullopt;
}

// Returns whether a C++ function is neither part of the C++ library nor operator new or delete.
bool is_of_unknown_library(const std::string& name) {
  static constexpr std::array kKnown{"S", "9__gnu_cxx", "10__cxxabiv1", "3MPI"};
  std::string_view rest = name;
  if (!rest.starts_with("_Z") || rest.starts_with("_ZS") || rest.starts_with("_Zn") ||
      rest.starts_with("_Zd"))
    return false;
  rest.remove_prefix(2);
  if (!rest.starts_with("N")) return true;
  rest.remove_prefix(1);
  if (rest.starts_with("K")) rest.remove_prefix(1);
  return std::ranges::none_of(kKnown, [&](std::string_view known) { return rest.starts_with(known); });
}

bool is_of_streams(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kBegin{
      "_ZNSi",     "_ZNSo",      "_ZStls",       "_ZStrs",          "_ZSt16__ostream_insert",
      "_ZSt4endl", "_ZSt5flush", "_ZSt7getline", "_ZNSt9basic_ios", "_ZNSt1"};
  return std::ranges::any_of(kBegin, [&](std::string_view with) { return name.starts_with(with); }) &&
         (!name.starts_with("_ZNSt1") || name.find("stream") != std::string_view::npos);
}

bool takes(const Types& handler, const Types& thrown) {
  return handler.others || std::ranges::any_of(thrown.names, [&](const std::string& name) {
           return handler.names.contains(name);
         });
}

}  // namespace

// Returns whether the call only throws.
bool LinkedProgram::only_throws(const Call& call) {
  if (!call.to) return false;
  const std::string& name = *call.to;
  return name == "__cxa_throw" || name == "__cxa_bad_cast" || name == "__cxa_bad_typeid" ||
         (name.starts_with("_ZSt") && name.find("__throw_") != std::string::npos);
}

// Libraries other than C++'s own may throw anything.
std::optional<Types> LinkedProgram::thrown_itself(FunctionPlace place, const Call& call) const {
  if (!call.to || call.throws) return call.throws;
  if (auto types = thrown_by_library(*call.to)) return types;
  if (habits_.streams_throw && is_of_streams(*call.to)) return Types{{kException}, true};
  if (habits_.new_throws && call.to->starts_with("_Zn")) return Types{};
  return is_of_unknown_library(*call.to) && called(place.module, *call.to).empty() ? std::optional(Types{})
                                                                                   : std::nullopt;
}

// Types that nothing in the program catches end the process in failure, so they are not included.
std::set<Types> LinkedProgram::thrown(FunctionPlace place, const Call& call) const {
  std::set<Types> all;
  if (const std::optional<Types> own = thrown_itself(place, call);
      own && !uncaught_.contains(*own) && !fails_for_good(place, call))
    all.insert(*own);
  if (call.to == kThrowsAgain) all.insert(thrown_anywhere_.begin(), thrown_anywhere_.end());
  const auto add = [&](FunctionPlace callee) {
    if (const auto known = thrown_.find(callee); known != thrown_.end())
      all.insert(known->second.begin(), known->second.end());
  };
  if (const auto callees = given_callees(place, call)) {
    for (const FunctionPlace callee : *callees) add(callee);
    if (called(place.module, *call.to).empty() && may_call_back(*call.to))
      all.insert(thrown_back_.begin(), thrown_back_.end());
  } else {
    all.insert(thrown_anywhere_.begin(), thrown_anywhere_.end());
  }
  return all;
}

// An arc to a handler leads from the end of a block to a block that begins with handlers, and cannot be
// counted.
const Types* LinkedProgram::handler_behind(const Function& function, std::size_t arc) {
  const Arc& way = function.arcs[arc];
  if (way.countable || way.to == 0) return nullptr;
  const auto& taken = function.blocks[static_cast<std::size_t>((way.to - 1) / 2)].takes;
  return taken ? &*taken : nullptr;
}

const Types* LinkedProgram::handler(FunctionPlace place, const Call& call) const {
  const Function& function = at(place);
  const auto last = std::ranges::find_if(function.calls.rbegin(), function.calls.rend(),
                                         [&](const Call& other) { return other.block == call.block; });
  if (last == function.calls.rend() || &*last != &call) return nullptr;
  for (const auto& [arc, block] : function.invoked)
    if (const Types* taken = block == call.block ? handler_behind(function, arc) : nullptr) return taken;
  return nullptr;
}

// A function that calls a throwing function throws too, unless it catches all of its types. Repeats until
// none is added.
void LinkedProgram::find_throwing() {
  note_what_pointers_throw();
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, places] : by_name_)
      for (const FunctionPlace place : places)
        for (const Call& call : at(place).calls) {
          const std::set<Types> types = thrown(place, call);
          const Types* taken = types.empty() ? nullptr : handler(place, call);
          for (const Types& type : types) {
            more = thrown_anywhere_.insert(type).second || more;
            if (taken && takes(*taken, type)) continue;
            more = thrown_[place].insert(type).second || more;
            if (taken_.contains(place)) more = thrown_back_.insert(type).second || more;
          }
        }
  }
  forget_uncaught();
}

// Calls through pointers may lead into libraries.
void LinkedProgram::note_what_pointers_throw() {
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (const std::string& name : modules_[m].taken) {
      Call call;
      call.to = name;
      if (const auto types = called(m, name).empty() ? thrown_itself({m, 0}, call) : std::nullopt)
        thrown_anywhere_.insert(*types);
    }
  if (habits_.has_throwing_objects) thrown_anywhere_.insert(Types{{kException}, true});
  if (habits_.loads_functions) thrown_anywhere_.insert(Types{});
}

// Handlers that end the process or rethrow the exception do not count.
Types LinkedProgram::caught_anywhere() const {
  Types caught{{}, false};
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules_[m].functions.size()); ++f) {
      const Function& function = modules_[m].functions[f];
      if (std::ranges::none_of(function.blocks, [](const Block& block) { return block.takes.has_value(); }))
        continue;
      std::vector<bool> ends(function.blocks.size());
      for (const Call& call : function.calls)
        if (call.to && (call.to == kThrowsAgain || call.to == "_Unwind_Resume" ||
                        call.to == "__clang_call_terminate" || fails_for_good({m, f}, call)))
          ends[static_cast<std::size_t>(call.block)] = true;
      const std::vector<bool> on = leading_on(function, ends);
      for (std::size_t b = 0; b < function.blocks.size(); ++b) {
        const auto& taken = function.blocks[b].takes;
        if (!taken || !on[b]) continue;
        caught.names.insert(taken->names.begin(), taken->names.end());
        caught.others = caught.others || taken->others || taken->names.contains("");
      }
    }
  return caught;
}

// A type that no handler takes ends the process. Types that pass through library functions, which call back a
// throwing function, are kept.
void LinkedProgram::forget_uncaught() {
  if (habits_.terminates_otherwise) return;
  const Types caught = caught_anywhere();
  const bool any = caught.others || !caught.names.empty();
  for (const Types& type : thrown_anywhere_)
    if (!any || (!type.others && !takes(caught, type) && !thrown_back_.contains(type)))
      uncaught_.insert(type);
  for (auto& [place, types] : thrown_)
    std::erase_if(types, [&](const Types& type) { return uncaught_.contains(type); });
  std::erase_if(thrown_back_, [&](const Types& type) { return uncaught_.contains(type); });
  std::erase_if(thrown_anywhere_, [&](const Types& type) { return uncaught_.contains(type); });
}

}  // namespace parcast::facts
