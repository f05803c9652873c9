// SPDX-License-Identifier: Apache-2.0
// Finds objects whose address is passed to code with unknown effects: through a pointer, to a function of
// another compiler, or by a call that was never executed. Their contents may have changed afterwards.

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

using std::string_view_literals::operator""sv;

template <std::size_t N>
constexpr bool holds(const std::array<std::string_view, N>& sorted, std::string_view name) {
  return std::ranges::binary_search(sorted, name);
}

// MPI functions that write through their pointers only values that do not affect counts (requests, statuses
// and other handles). Also functions whose writes writing_calls.cpp handles.
constexpr std::array kOfMpi{"Abort"sv,
                            "Accumulate"sv,
                            "Allgather"sv,
                            "Allgatherv"sv,
                            "Allreduce"sv,
                            "Alltoall"sv,
                            "Alltoallv"sv,
                            "Barrier"sv,
                            "Bcast"sv,
                            "Bsend"sv,
                            "Bsend_init"sv,
                            "Buffer_attach"sv,
                            "Cancel"sv,
                            "Cart_coords"sv,
                            "Cart_create"sv,
                            "Cart_get"sv,
                            "Cart_rank"sv,
                            "Cart_shift"sv,
                            "Cart_sub"sv,
                            "Comm_call_errhandler"sv,
                            "Comm_create"sv,
                            "Comm_create_group"sv,
                            "Comm_disconnect"sv,
                            "Comm_dup"sv,
                            "Comm_free"sv,
                            "Comm_get_parent"sv,
                            "Comm_group"sv,
                            "Comm_rank"sv,
                            "Comm_set_errhandler"sv,
                            "Comm_set_info"sv,
                            "Comm_set_name"sv,
                            "Comm_size"sv,
                            "Comm_split"sv,
                            "Comm_split_type"sv,
                            "Dims_create"sv,
                            "Dist_graph_create_adjacent"sv,
                            "Errhandler_free"sv,
                            "Errhandler_set"sv,
                            "Exscan"sv,
                            "File_close"sv,
                            "File_delete"sv,
                            "File_iwrite"sv,
                            "File_iwrite_at"sv,
                            "File_open"sv,
                            "File_preallocate"sv,
                            "File_read"sv,
                            "File_read_all"sv,
                            "File_read_at"sv,
                            "File_read_at_all"sv,
                            "File_seek"sv,
                            "File_set_info"sv,
                            "File_set_size"sv,
                            "File_set_view"sv,
                            "File_sync"sv,
                            "File_write"sv,
                            "File_write_all"sv,
                            "File_write_at"sv,
                            "File_write_at_all"sv,
                            "File_write_ordered"sv,
                            "File_write_shared"sv,
                            "Finalize"sv,
                            "Free_mem"sv,
                            "Gather"sv,
                            "Gatherv"sv,
                            "Get"sv,
                            "Get_address"sv,
                            "Get_count"sv,
                            "Graph_create"sv,
                            "Group_excl"sv,
                            "Group_free"sv,
                            "Group_incl"sv,
                            "Group_rank"sv,
                            "Group_size"sv,
                            "Iallreduce"sv,
                            "Ibarrier"sv,
                            "Ibcast"sv,
                            "Ibsend"sv,
                            "Info_create"sv,
                            "Info_free"sv,
                            "Info_set"sv,
                            "Init"sv,
                            "Init_thread"sv,
                            "Intercomm_create"sv,
                            "Intercomm_merge"sv,
                            "Irecv"sv,
                            "Ireduce"sv,
                            "Irsend"sv,
                            "Isend"sv,
                            "Issend"sv,
                            "Op_create"sv,
                            "Op_free"sv,
                            "Pcontrol"sv,
                            "Put"sv,
                            "Raccumulate"sv,
                            "Recv"sv,
                            "Reduce"sv,
                            "Reduce_scatter"sv,
                            "Reduce_scatter_block"sv,
                            "Request_free"sv,
                            "Rput"sv,
                            "Rsend"sv,
                            "Rsend_init"sv,
                            "Scan"sv,
                            "Scatter"sv,
                            "Scatterv"sv,
                            "Send"sv,
                            "Send_init"sv,
                            "Sendrecv"sv,
                            "Sendrecv_replace"sv,
                            "Ssend"sv,
                            "Ssend_init"sv,
                            "Start"sv,
                            "Startall"sv,
                            "Type_commit"sv,
                            "Type_contiguous"sv,
                            "Type_create_hindexed"sv,
                            "Type_create_hvector"sv,
                            "Type_create_indexed_block"sv,
                            "Type_create_resized"sv,
                            "Type_create_struct"sv,
                            "Type_create_subarray"sv,
                            "Type_dup"sv,
                            "Type_free"sv,
                            "Type_hvector"sv,
                            "Type_indexed"sv,
                            "Type_struct"sv,
                            "Type_vector"sv,
                            "Unpack"sv,
                            "Wait"sv,
                            "Waitall"sv,
                            "Win_allocate"sv,
                            "Win_allocate_shared"sv,
                            "Win_complete"sv,
                            "Win_create"sv,
                            "Win_create_dynamic"sv,
                            "Win_detach"sv,
                            "Win_fence"sv,
                            "Win_flush"sv,
                            "Win_flush_all"sv,
                            "Win_flush_local"sv,
                            "Win_flush_local_all"sv,
                            "Win_free"sv,
                            "Win_lock"sv,
                            "Win_lock_all"sv,
                            "Win_post"sv,
                            "Win_start"sv,
                            "Win_sync"sv,
                            "Win_unlock"sv,
                            "Win_unlock_all"sv,
                            "Win_wait"sv};
static_assert(std::ranges::is_sorted(kOfMpi));

// Other functions that only read through their pointers, or whose writes texts.cpp and writing_calls.cpp
// handle.
constexpr std::array kOfLibraries{"__assert_fail"sv,
                                  "__isoc23_fscanf"sv,
                                  "__isoc23_scanf"sv,
                                  "__isoc23_sscanf"sv,
                                  "__isoc23_strtol"sv,
                                  "__isoc23_strtoll"sv,
                                  "__isoc23_strtoul"sv,
                                  "__isoc23_strtoull"sv,
                                  "__isoc99_fscanf"sv,
                                  "__isoc99_scanf"sv,
                                  "__isoc99_sscanf"sv,
                                  "access"sv,
                                  "atof"sv,
                                  "atoi"sv,
                                  "atol"sv,
                                  "atoll"sv,
                                  "close"sv,
                                  "fclose"sv,
                                  "fflush"sv,
                                  "fopen"sv,
                                  "fputs"sv,
                                  "fprintf"sv,
                                  "fread"sv,
                                  "free"sv,
                                  "fscanf"sv,
                                  "fwrite"sv,
                                  "getenv"sv,
                                  "memchr"sv,
                                  "memcmp"sv,
                                  "memcpy"sv,
                                  "memmove"sv,
                                  "perror"sv,
                                  "printf"sv,
                                  "puts"sv,
                                  "read"sv,
                                  "remove"sv,
                                  "scanf"sv,
                                  "setenv"sv,
                                  "sscanf"sv,
                                  "strcasecmp"sv,
                                  "strchr"sv,
                                  "strcmp"sv,
                                  "strcspn"sv,
                                  "strlen"sv,
                                  "strncasecmp"sv,
                                  "strncmp"sv,
                                  "strrchr"sv,
                                  "strspn"sv,
                                  "strstr"sv,
                                  "strtod"sv,
                                  "strtof"sv,
                                  "strtol"sv,
                                  "strtoll"sv,
                                  "strtoul"sv,
                                  "strtoull"sv,
                                  "unlink"sv,
                                  "vfprintf"sv,
                                  "vprintf"sv,
                                  "write"sv};

// BLAS routines without the letter of the type. They write arrays of floating-point numbers and take sizes by
// address.
constexpr std::array kOfBlas{"asum_"sv,  "axpy_"sv, "copy_"sv, "dot_"sv,  "dotc_"sv, "dotu_"sv, "gemm_"sv,
                             "gemv_"sv,  "ger_"sv,  "nrm2_"sv, "scal_"sv, "swap_"sv, "symm_"sv, "symv_"sv,
                             "syr2k_"sv, "syrk_"sv, "trmm_"sv, "trmv_"sv, "trsm_"sv, "trsv_"sv};

// Functions with these prefixes only read, or their writes are handled: Fortran descriptors below, words in
// texts.cpp, loops shared by a team in the compiler pass.
constexpr std::array kBegin{
    "_FortranA"sv,    "__kmpc_"sv,  "_ZStls"sv, "_ZSt4endl"sv, "_ZSt16__ostream_insert"sv,
    "_ZSt7getline"sv, "parcast_"sv, "omp_"sv};
// Member functions of library classes: they write only to the object they are called for.
constexpr std::array kMembersBegin{"_ZNSt"sv,  "_ZNSo"sv,  "_ZNSi"sv,  "_ZNSs"sv,
                                   "_ZNKSt"sv, "_ZNKSo"sv, "_ZNKSi"sv, "_ZNKSs"sv};
constexpr std::array kExtract{"_ZNSirsER"sv, "_ZNSi10_M_extract"sv};

bool begins(std::string_view name, const auto& with) {
  return std::ranges::any_of(with, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Returns whether a function without facts may write an unknown value to where that argument points.
bool may_write(std::string_view name, std::string_view in_c, std::size_t argument) {
  if (in_c.starts_with("MPI_")) return !holds(kOfMpi, in_c.substr(4));
  if (begins(name, kMembersBegin)) return argument > 0 && !begins(name, kExtract);
  if (begins(name, kBegin) || std::ranges::find(kOfLibraries, name) != kOfLibraries.end()) return false;
  return name.size() < 2 || std::string_view("sdcz").find(name[0]) == std::string_view::npos ||
         std::ranges::find(kOfBlas, name.substr(1)) == kOfBlas.end();
}

}  // namespace

class LinkedProgram::Escapes {
 public:
  explicit Escapes(LinkedProgram& program) : program_(program) {}

  void note() {
    find_written();
    for_each_call([this](FunctionPlace place, const Call& call) {
      for (std::size_t argument = 0; argument < call.arguments.size(); ++argument)
        if (call.arguments[argument] && escapes(place, call, argument)) {
          overwrite(place, *call.arguments[argument],
                    call.to && is_of_library(*call.to) ? Reach::from_there : Reach::whole);
          overwrite_behind(program_.memory_of(place, *call.arguments[argument]), kDescriptors);
        }
      for (const auto& [argument, object] : call.within)
        if (writes(place, call, argument)) overwrite(place, object, Reach::whole);
      if (call.to && call.to->starts_with("_FortranA") && !call.to->starts_with("_FortranAioOutput"))
        // texts.cpp handles the word itself
        for (std::size_t argument = call.to == "_FortranAGetCommandArgument" ? 2 : 0;
             argument < call.arguments.size(); ++argument)
          if (call.arguments[argument])
            overwrite_behind(program_.memory_of(place, *call.arguments[argument]), kDescriptors);
    });
    for_each([this](FunctionPlace place) {
      for (const Store& store : program_.at(place).stores)
        if (program_.at(place).nodes[store.value].operation >= Operation::global &&
            counts(place, store.block) && is_lost(program_.memory_of(place, store.place)))
          overwrite(place, store.value, Reach::whole);
      for (const Overwrite& each : program_.at(place).overwrites)
        if (counts(place, each.block)) {
          overwrite(place, each.place, Reach::whole);
          const auto is_of_words = [](const Memory& memory) {
            return memory.kind == Memory::Kind::words || memory.kind == Memory::Kind::word;
          };
          program_.stores_letters_ = program_.stores_letters_ ||
                                     std::ranges::any_of(program_.memory_of(place, each.place), is_of_words);
        }
    });
  }

 private:
  using Argument = std::pair<FunctionPlace, std::size_t>;
  // A library function writes from its pointer on. A part of the program may find the entire object from a
  // part of it.
  enum class Reach { from_there, whole };

  /// Returns whether an address stored at these places is not found again when it is loaded: the place is
  /// unknown, or it is a field identified by its type, where another access is not.
  static bool is_lost(const std::set<Memory>& places) {
    return places.empty() || std::ranges::any_of(places, [](const Memory& memory) {
             return memory.kind == Memory::Kind::field;
           });
  }

  /// Returns whether the function writes only from where its argument points.
  bool is_of_library(const std::string& name) const {
    if (program_.name_in_c(name).starts_with("MPI_")) return !program_.habits_.begins_anywhere;
    return begins(name, kMembersBegin) || begins(name, kBegin) || name == "printf" || name == "fprintf";
  }

  template <typename Do>
  void for_each(const Do& act) {
    for (const auto& [name, places] : program_.by_name_)
      for (const FunctionPlace place : places) act(place);
  }
  template <typename Do>
  void for_each_call(const Do& act) {
    for_each([&](FunctionPlace place) {
      for (const Call& call : program_.at(place).calls)
        if (counts(place, call.block)) act(place, call);
    });
  }
  bool counts(FunctionPlace place, int block) const {
    return !program_.only_fails(place, block) &&
           (program_.executed(place, block) || program_.may_be_entered(place));
  }

  /// Returns the argument of the function that a place lies behind, at any distance.
  std::optional<std::size_t> behind_argument(FunctionPlace place, NodeNumber number) const {
    const Function& function = program_.at(place);
    const Node* node = &function.nodes[number];
    while (node->operation == Operation::at) node = &function.nodes[node->operands[0]];
    return node->operation == Operation::behind ? std::optional<std::size_t>(node->bits) : std::nullopt;
  }

  // Finds the arguments behind which a function writes, itself or through its calls. Repeats until none is
  // added.
  void find_written() {
    for_each([this](FunctionPlace place) {
      const Function& function = program_.at(place);
      const auto note = [&](int block, NodeNumber number) {
        if (const auto argument = behind_argument(place, number);
            argument && !program_.only_fails(place, block))
          written_.insert({place, *argument});
      };
      for (const Store& store : function.stores) note(store.block, store.place);
      for (const Overwrite& each : function.overwrites) note(each.block, each.place);
    });
    for (bool more = true; more;) {
      more = false;
      for_each([&](FunctionPlace place) {
        for (const Call& call : program_.at(place).calls)
          for (std::size_t k = 0; k < call.arguments.size(); ++k) {
            if (!call.arguments[k] || program_.only_fails(place, call.block)) continue;
            if (const auto argument = behind_argument(place, *call.arguments[k]);
                argument && writes(place, call, k))
              more = written_.insert({place, *argument}).second || more;
          }
        for (const Call& call : program_.at(place).calls)
          for (const auto& [k, object] : call.within)
            if (const auto argument = behind_argument(place, object);
                argument && !program_.only_fails(place, call.block) && writes(place, call, k))
              more = written_.insert({place, *argument}).second || more;
      });
    }
  }

  /// Returns whether a call may write to where its argument points, with a known value or not.
  bool writes(FunctionPlace place, const Call& call, std::size_t argument) const {
    if (!call.to) return true;
    if (const auto forked = forked_by(program_.at(place), call)) return team_writes(place, *forked, argument);
    const std::vector<FunctionPlace> callees = program_.called(place.module, *call.to);
    if (callees.empty())
      return may_write(place, call, argument) || program_.writes_what_is_given(*call.to, argument);
    return std::ranges::any_of(callees, [&](FunctionPlace callee) {
      return program_.at(callee).variadic || written_.contains({callee, argument});
    });
  }

  /// Returns the same for unknown values. Executed calls of functions with facts are excluded, since their
  /// stores are followed.
  bool escapes(FunctionPlace place, const Call& call, std::size_t argument) const {
    if (!call.to) return true;
    if (const auto forked = forked_by(program_.at(place), call))
      return !program_.executed(place, call.block) && team_writes(place, *forked, argument);
    const std::vector<FunctionPlace> callees = program_.called(place.module, *call.to);
    if (callees.empty()) return may_write(place, call, argument);
    // arguments without names are not described
    if (std::ranges::any_of(callees, [&](FunctionPlace callee) { return program_.at(callee).variadic; }))
      return true;
    return !program_.executed(place, call.block) && writes(place, call, argument);
  }

  bool may_write(FunctionPlace place, const Call& call, std::size_t argument) const {
    return facts::may_write(*call.to, program_.name_in_c(*call.to), argument) ||
           may_count_letters(place, call, argument);
  }

  /// For printf and similar functions: returns whether the format contains %n or is unknown.
  bool may_count_letters(FunctionPlace place, const Call& call, std::size_t argument) const {
    const std::size_t format = call.to == "printf" ? 0 : call.to == "fprintf" ? 1 : call.arguments.size();
    if (argument <= format || !call.arguments[format]) return format < argument;
    const Node& node = program_.at(place).nodes[*call.arguments[format]];
    return node.operation != Operation::text || has_letter_count(node.name);
  }
  static bool has_letter_count(std::string_view format) {
    for (std::size_t at = format.find('%'); at < format.size(); at = format.find('%', at + 1)) {
      at = format.find_first_not_of("0123456789$ +-#'.*hlqjztL", at + 1);
      if (at < format.size() && format[at] == 'n') return true;
    }
    return false;
  }

  // Returns whether the threads of a team write to where an argument points. The call that starts the team
  // passes it.
  bool team_writes(FunctionPlace place, const Forked& forked, std::size_t argument) const {
    constexpr std::size_t kOfThread = 2;
    return argument >= forked.third &&
           std::ranges::any_of(program_.called(place.module, forked.to), [&](FunctionPlace callee) {
             return written_.contains({callee, argument - forked.third + kOfThread});
           });
  }

  // Pointers in passed objects may be used for writes too. Pointers in descriptors of Fortran's runtime
  // library lead to what it reads or writes.
  void overwrite_behind(const std::set<Memory>& descriptors, int depth) {
    if (depth == 0) return;
    std::set<Memory> behind;
    for (const Memory& descriptor : descriptors)
      for (auto each = pointers().lower_bound(descriptor); each != pointers().end(); ++each) {
        Memory same = each->first;
        same.offset = descriptor.offset;
        if (same != descriptor) break;
        behind.insert(each->second.begin(), each->second.end());
      }
    for (const Memory& memory : behind)
      if (memory.kind != Memory::Kind::words && memory.kind != Memory::Kind::word &&
          !descriptors.contains(memory))
        program_.overwritten_from_.insert(memory);
    overwrite_behind(behind, depth - 1);
  }

  /// Returns what stored pointers lead to, by place. Stores that were never executed are included.
  const std::map<Memory, std::set<Memory>>& pointers() {
    if (!pointers_.empty()) return pointers_;
    for_each([this](FunctionPlace place) {
      for (const Store& store : program_.at(place).stores)
        if (program_.at(place).nodes[store.value].operation >= Operation::global &&
            counts(place, store.block))
          for (const Memory& memory : program_.memory_of(place, store.place))
            pointers_[memory].merge(program_.memory_of(place, store.value));
    });
    return pointers_;
  }

  void overwrite(FunctionPlace place, NodeNumber number, Reach reach) {
    for (Memory memory : program_.memory_of(place, number)) {
      if (memory.kind == Memory::Kind::words || memory.kind == Memory::Kind::word) continue;
      if (reach == Reach::whole) memory.offset = std::numeric_limits<std::int64_t>::min();
      program_.overwritten_from_.insert(std::move(memory));
    }
  }

  static constexpr int kDescriptors = 3;  // depth of nested descriptors: a group in a list of descriptors
  LinkedProgram& program_;
  std::set<Argument> written_;
  std::map<Memory, std::set<Memory>> pointers_;
};

void LinkedProgram::note_escapes() {
  Escapes(*this).note();
}

bool LinkedProgram::is_quiet(const std::string& name) {
  static constexpr std::array kQuiet{
      "aligned_alloc"sv, "calloc"sv,        "clock"sv,          "clock_gettime"sv, "cos"sv,     "exp"sv,
      "fabs"sv,          "floor"sv,         "fmod"sv,           "gettimeofday"sv,  "log"sv,     "malloc"sv,
      "memset"sv,        "omp_get_wtime"sv, "posix_memalign"sv, "pow"sv,           "putchar"sv, "rand"sv,
      "realloc"sv,       "sin"sv,           "snprintf"sv,       "sprintf"sv,       "sqrt"sv,    "srand"sv,
      "strcat"sv,        "strcpy"sv,        "strdup"sv,         "strncpy"sv,       "time"sv};
  static_assert(std::ranges::is_sorted(kQuiet));
  static constexpr std::array kOfCxx{"_Zn"sv,
                                     "_Zd"sv,
                                     "__cxa_"sv,
                                     "_ZNSt7__cxx1112basic_string"sv,
                                     "_ZNKSt7__cxx1112basic_string"sv,
                                     "_ZNSs"sv,
                                     "_ZNKSs"sv,
                                     "_ZSt18_Rb_tree"sv,
                                     "_ZSt29_Rb_tree"sv,
                                     "_ZNSt8__detail"sv,
                                     "_ZNKSt8__detail"sv};
  return holds(kQuiet, name) || (begins(name, kOfCxx) && !name.starts_with("__cxa_vec_"));
}

bool LinkedProgram::may_call_back(const std::string& name) const {
  if (name_in_c(name).starts_with("MPI_")) return habits_.returns_errors || habits_.mpi_calls_back;
  if (is_quiet(name)) return false;
  if (begins(name, kMembersBegin) || name.starts_with("_ZS")) return habits_.extends_library;
  if (begins(name, kBegin)) return false;
  return habits_.files_call_back || std::ranges::find(kOfLibraries, name) == kOfLibraries.end();
}

}  // namespace parcast::facts
