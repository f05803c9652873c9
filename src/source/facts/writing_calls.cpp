// SPDX-License-Identifier: Apache-2.0
// What functions of MPI and of the language's library write into the program's memory: the value if it is
// known, otherwise an unknown value.

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

constexpr int kMostDimensions = 3;
constexpr int kOfNumber = 4;  // bytes
constexpr int kOfHandle = 4;  // of handles that are numbers

// Arguments through which a function writes an unknown value.
struct Writes {
  std::string_view name;
  std::array<int, 3> arguments;
};
constexpr int kNone = -1;
constexpr std::array kUnknown{Writes{"MPI_Recv", {0, 6, kNone}},
                              Writes{"MPI_Irecv", {0, kNone, kNone}},
                              Writes{"MPI_Ibcast", {0, kNone, kNone}},
                              Writes{"MPI_Sendrecv", {5, 11, kNone}},
                              Writes{"MPI_Sendrecv_replace", {0, 8, kNone}},
                              Writes{"MPI_Wait", {1, kNone, kNone}},
                              Writes{"MPI_Waitall", {2, kNone, kNone}},
                              Writes{"MPI_Reduce", {1, kNone, kNone}},
                              Writes{"MPI_Ireduce", {1, kNone, kNone}},
                              Writes{"MPI_Allreduce", {1, kNone, kNone}},
                              Writes{"MPI_Iallreduce", {1, kNone, kNone}},
                              Writes{"MPI_Scan", {1, kNone, kNone}},
                              Writes{"MPI_Exscan", {1, kNone, kNone}},
                              Writes{"MPI_Reduce_scatter", {1, kNone, kNone}},
                              Writes{"MPI_Reduce_scatter_block", {1, kNone, kNone}},
                              Writes{"MPI_Gather", {3, kNone, kNone}},
                              Writes{"MPI_Gatherv", {3, kNone, kNone}},
                              Writes{"MPI_Allgather", {3, kNone, kNone}},
                              Writes{"MPI_Allgatherv", {3, kNone, kNone}},
                              Writes{"MPI_Scatter", {3, kNone, kNone}},
                              Writes{"MPI_Scatterv", {4, kNone, kNone}},
                              Writes{"MPI_Alltoall", {3, kNone, kNone}},
                              Writes{"MPI_Alltoallv", {4, kNone, kNone}},
                              Writes{"MPI_Unpack", {3, 2, kNone}},
                              Writes{"MPI_Get", {0, kNone, kNone}},
                              Writes{"MPI_File_read", {1, 4, kNone}},
                              Writes{"MPI_File_read_all", {1, 4, kNone}},
                              Writes{"MPI_File_read_at", {2, 5, kNone}},
                              Writes{"MPI_File_read_at_all", {2, 5, kNone}},
                              Writes{"MPI_Get_count", {2, kNone, kNone}},
                              Writes{"MPI_Group_rank", {1, kNone, kNone}},
                              Writes{"MPI_Group_size", {1, kNone, kNone}},
                              Writes{"MPI_Cart_rank", {2, kNone, kNone}},
                              Writes{"MPI_Cart_shift", {3, 4, kNone}},
                              Writes{"MPI_Cart_sub", {2, kNone, kNone}},
                              Writes{"MPI_Comm_dup", {1, kNone, kNone}},
                              Writes{"MPI_Comm_split", {3, kNone, kNone}},
                              Writes{"MPI_Comm_split_type", {4, kNone, kNone}},
                              Writes{"MPI_Comm_create", {2, kNone, kNone}},
                              Writes{"MPI_Comm_create_group", {3, kNone, kNone}},
                              Writes{"MPI_Comm_get_parent", {0, kNone, kNone}},
                              Writes{"MPI_Graph_create", {5, kNone, kNone}},
                              Writes{"MPI_Dist_graph_create_adjacent", {9, kNone, kNone}},
                              Writes{"MPI_Intercomm_create", {5, kNone, kNone}},
                              Writes{"MPI_Intercomm_merge", {2, kNone, kNone}},
                              Writes{"MPI_Get_address", {1, kNone, kNone}},
                              Writes{"MPI_Address", {1, kNone, kNone}},
                              Writes{"MPI_Win_allocate", {4, kNone, kNone}},
                              Writes{"MPI_Win_allocate_shared", {4, kNone, kNone}},
                              Writes{"_FortranAioGetNewUnit", {1, kNone, kNone}},
                              Writes{"_FortranAioInquireInteger64", {2, kNone, kNone}},
                              Writes{"_FortranAioInquireCharacter", {2, kNone, kNone}},
                              Writes{"_FortranAioInputUnformattedBlock", {1, kNone, kNone}},
                              Writes{"MPI_Init_thread", {3, kNone, kNone}},
                              Writes{"MPI_Win_create", {0, kNone, kNone}},
                              Writes{"fread", {0, kNone, kNone}},
                              Writes{"read", {1, kNone, kNone}},
                              Writes{"memcpy", {0, kNone, kNone}},
                              Writes{"memmove", {0, kNone, kNone}}};

// The argument to which a function writes a handle. Handles are numbers in Fortran, and in C with MPICH.
struct Handle {
  std::string_view name;
  std::size_t argument;
};
constexpr std::array kHandles{Handle{"MPI_Isend", 6},
                              Handle{"MPI_Issend", 6},
                              Handle{"MPI_Irsend", 6},
                              Handle{"MPI_Ibsend", 6},
                              Handle{"MPI_Irecv", 6},
                              Handle{"MPI_Send_init", 6},
                              Handle{"MPI_Ssend_init", 6},
                              Handle{"MPI_Bsend_init", 6},
                              Handle{"MPI_Rsend_init", 6},
                              Handle{"MPI_Ibarrier", 1},
                              Handle{"MPI_Ibcast", 5},
                              Handle{"MPI_Iallreduce", 6},
                              Handle{"MPI_Ireduce", 7},
                              Handle{"MPI_Wait", 0},
                              Handle{"MPI_Request_free", 0},
                              Handle{"MPI_Type_contiguous", 2},
                              Handle{"MPI_Type_vector", 4},
                              Handle{"MPI_Type_hvector", 4},
                              Handle{"MPI_Type_create_hvector", 4},
                              Handle{"MPI_Type_indexed", 4},
                              Handle{"MPI_Type_hindexed", 4},
                              Handle{"MPI_Type_create_hindexed", 4},
                              Handle{"MPI_Type_create_indexed_block", 4},
                              Handle{"MPI_Type_struct", 4},
                              Handle{"MPI_Type_create_struct", 4},
                              Handle{"MPI_Type_create_resized", 3},
                              Handle{"MPI_Type_create_subarray", 6},
                              Handle{"MPI_Type_dup", 1},
                              Handle{"MPI_Type_free", 0},
                              Handle{"MPI_Comm_free", 0},
                              Handle{"MPI_Comm_disconnect", 0},
                              Handle{"MPI_Comm_group", 1},
                              Handle{"MPI_Group_incl", 3},
                              Handle{"MPI_Group_excl", 3},
                              Handle{"MPI_Group_free", 0},
                              Handle{"MPI_Op_create", 2},
                              Handle{"MPI_Op_free", 0},
                              Handle{"MPI_Info_create", 0},
                              Handle{"MPI_Info_free", 0},
                              Handle{"MPI_Errhandler_free", 0},
                              Handle{"MPI_File_open", 4},
                              Handle{"MPI_File_close", 0},
                              Handle{"MPI_Win_create", 5},
                              Handle{"MPI_Win_create_dynamic", 2},
                              Handle{"MPI_Win_allocate", 5},
                              Handle{"MPI_Win_allocate_shared", 5},
                              Handle{"MPI_Win_free", 0},
                              Handle{"MPI_Rput", 8},
                              Handle{"MPI_Raccumulate", 9}};

bool is_fortran(std::string_view name) {
  return (name.starts_with("mpi_") || name.starts_with("pmpi_")) && name.ends_with('_');
}

}  // namespace

std::string LinkedProgram::name_in_c(std::string name) {
  const bool fortran = is_fortran(name);
  if (name.starts_with("PMPI_") || name.starts_with("pmpi_")) name.erase(0, 1);
  if (!fortran) return name;
  name.pop_back();
  if (name.ends_with("_f08")) name.resize(name.size() - 4);
  name.replace(0, 3, "MPI");
  if (name.size() > 4) name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
  return name;
}

bool LinkedProgram::writes_what_is_given(const std::string& name, std::size_t argument) {
  static constexpr std::array kKnown{
      Writes{"MPI_Comm_rank", {1, kNone, kNone}},   Writes{"MPI_Comm_size", {1, kNone, kNone}},
      Writes{"MPI_Dims_create", {2, kNone, kNone}}, Writes{"MPI_Cart_create", {5, kNone, kNone}},
      Writes{"MPI_Cart_coords", {3, kNone, kNone}}, Writes{"MPI_Cart_get", {2, 3, 4}},
      Writes{"MPI_Bcast", {0, kNone, kNone}}};
  const std::string in_c = name_in_c(name);
  const auto by = [&](const auto& all) {
    const auto known = std::ranges::find(all, in_c, &Writes::name);
    return known != all.end() &&
           std::ranges::find(known->arguments, static_cast<int>(argument)) != known->arguments.end();
  };
  return by(kUnknown) || by(kKnown) || is_fortran(name) || name.find("scanf") != std::string::npos ||
         name.starts_with("_ZNSi") || name.starts_with("_FortranAioInput") ||
         name == "_FortranAGetCommandArgument" ||
         (argument == 0 && name.starts_with("_FortranAioBeginInternal") &&
          name.find("Output") != std::string::npos);
}

class LinkedProgram::WritingCalls {
 public:
  explicit WritingCalls(LinkedProgram& program) : program_(program) {
    for (const auto& [name, places] : program.by_name_)
      for (const FunctionPlace place : places)
        for (const Call& call : program.at(place).calls) {
          if (!call.to || program.only_fails(place, call.block)) continue;
          if (!program.executed(place, call.block) && !program.may_be_entered(place)) continue;
          calls_.push_back({place, call, name_in_c(*call.to), is_fortran(*call.to)});
        }
  }

  void note_unknown() {
    for (const LibraryCall& call : calls_) note_unknown(call);
  }

  // Each step needs the results of the one before: the communicator of all processes, their number, their
  // grid.
  void note() {
    for (const LibraryCall& call : calls_) note_processes(call);
    for (const LibraryCall& call : calls_)
      if (call.name == "MPI_Dims_create") note_extents(call);
    for (const LibraryCall& call : calls_)
      if (call.name == "MPI_Cart_create") note_grid(call);
    for (const LibraryCall& call : calls_) note_processes_of_grid(call);
    for (const LibraryCall& call : calls_) {
      if (call.name == "MPI_Cart_coords" && is_rank(call, 1))
        note_coordinates(call, 2, 3);
      else if (call.name == "MPI_Cart_coords")
        overwrite(call, 3);
      if (call.name == "MPI_Cart_get") note_coordinates(call, 1, 4);
    }
    for (const LibraryCall& call : calls_)
      if (call.name == "MPI_Bcast") note_broadcast(call);
  }

 private:
  struct LibraryCall {
    FunctionPlace place;
    const Call& call;
    std::string name;  // C name
    bool fortran = false;

    std::optional<NodeNumber> argument(std::size_t number) const {
      return number < call.arguments.size() ? call.arguments[number] : std::nullopt;
    }
  };

  void write(const LibraryCall& call, std::size_t argument, std::int64_t offset, const Formula& value,
             bool sole) {
    if (!call.argument(argument)) return;
    for (Memory memory : program_.memory_of(call.place, *call.argument(argument))) {
      memory.offset += offset;
      program_.written_[memory].push_back({value, sole, &call.call, call.place});
    }
  }

  /// Returns the candidates of an argument. In Fortran it is the value stored at the passed address.
  Candidates passed(const LibraryCall& call, std::size_t argument) const {
    if (!call.argument(argument)) return {};
    return call.fortran ? program_.stored(program_.memory_of(call.place, *call.argument(argument)))
                        : program_.candidates(call.place, *call.argument(argument));
  }
  std::optional<std::int64_t> number(const LibraryCall& call, std::size_t argument) const {
    const Candidates found = passed(call, argument);
    const std::optional<Value> value =
        found.sole && !found.formulas.empty() ? evaluate(found.formulas.front(), {}) : std::nullopt;
    return value && !value->is_real ? std::optional(value->whole) : std::nullopt;
  }
  int dimensions(const LibraryCall& call, std::size_t argument) const {
    const std::int64_t found = number(call, argument).value_or(0);
    return found >= 1 && found <= kMostDimensions ? static_cast<int>(found) : 0;
  }

  /// Returns whether the first argument is MPI_COMM_WORLD, in the form of Open MPI or of MPICH and its
  /// derivatives.
  bool is_world(const LibraryCall& call) const {
    constexpr std::int64_t kOfMpich = 0x44000000, kOfOpenMpiInFortran = 0;
    if (!call.argument(0)) return false;
    const Node& node = program_.at(call.place).nodes[*call.argument(0)];
    if (call.fortran) {
      const auto which = number(call, 0);
      return which == kOfMpich || which == kOfOpenMpiInFortran;
    }
    return (node.operation == Operation::global && node.name == "ompi_mpi_comm_world") ||
           (node.operation == Operation::integer && node.number == kOfMpich);
  }

  /// Returns the places where the communicator in the first argument is stored.
  std::set<Memory> communicator(const LibraryCall& call) const {
    if (!call.argument(0)) return {};
    const Node& node = program_.at(call.place).nodes[*call.argument(0)];
    if (call.fortran) return program_.memory_of(call.place, *call.argument(0));
    return node.operation == Operation::load || node.operation == Operation::pointed
               ? program_.memory_of(call.place, node.operands[0])
               : std::set<Memory>{};
  }
  /// Returns whether the communicator is surely a grid of all processes.
  bool is_grid(const LibraryCall& call) const {
    const std::set<Memory> places = communicator(call);
    return !places.empty() && std::ranges::all_of(places, [&](const Memory& place) {
      const auto known = grids_.find(place);
      return known != grids_.end() && known->second && !program_.stores_.contains(place) &&
             !program_.written_.contains(place) && !program_.also_stored_.contains(place) &&
             !program_.may_be_overwritten(place);
    });
  }
  bool is_rank(const LibraryCall& call, std::size_t argument) const {
    const Candidates found = passed(call, argument);
    return found.sole && !found.formulas.empty() &&
           std::ranges::all_of(found.formulas, [](const Formula& formula) {
             return same(formula, input({InputKind::rank}, 32));
           });
  }
  bool is_processes(const LibraryCall& call, std::size_t argument) const {
    const Candidates found = passed(call, argument);
    return found.sole && !found.formulas.empty() &&
           same(found.formulas.front(), input({InputKind::processes}, 32));
  }

  void note_unknown(const LibraryCall& call) {
    // the error code
    if (call.fortran && !call.call.arguments.empty())
      write(call, call.call.arguments.size() - 1, 0, integer(0, 32),
            !program_.habits_.returns_errors && !call.name.starts_with("MPI_File_"));
    if (const auto known = std::ranges::find(kHandles, call.name, &Handle::name);
        known != kHandles.end() && call.argument(known->argument))
      program_.also_store(program_.memory_of(call.place, *call.argument(known->argument)), kOfHandle);
    if (call.fortran && call.name == "MPI_Init_thread") overwrite(call, 1);
    if (const auto known = std::ranges::find(kUnknown, call.name, &Writes::name); known != kUnknown.end())
      for (const int argument : known->arguments) {
        if (argument == kNone) continue;
        if (argument == known->arguments[0])
          overwrite(call, static_cast<std::size_t>(argument));
        else
          overwrite_from(call, static_cast<std::size_t>(argument), program_.habits_.begins_anywhere);
      }
  }
  void overwrite(const LibraryCall& call, std::size_t argument) {
    if (!call.argument(argument)) return;
    if (is_bottom(call, argument))
      for (const LibraryCall& other : calls_)
        if (other.name == "MPI_Get_address" || other.name == "MPI_Address") overwrite_from(other, 0, true);
    overwrite_from(call, argument, program_.habits_.begins_anywhere);
  }
  void overwrite_from(const LibraryCall& call, std::size_t argument, bool whole) {
    if (!call.argument(argument)) return;
    for (Memory memory : program_.memory_of(call.place, *call.argument(argument))) {
      if (whole && memory.kind != Memory::Kind::words && memory.kind != Memory::Kind::word)
        memory.offset = std::numeric_limits<std::int64_t>::min();
      program_.overwritten_from_.insert(std::move(memory));
    }
  }
  /// Returns whether the argument is MPI_BOTTOM: then the datatype contains the addresses.
  bool is_bottom(const LibraryCall& call, std::size_t argument) const {
    const Node& node = program_.at(call.place).nodes[*call.argument(argument)];
    return (node.operation == Operation::integer && node.number == 0) ||
           (node.operation == Operation::global && node.name.find("mpi_fortran_bottom") != std::string::npos);
  }
  /// Returns whether all processes make the call together and pass it the same place.
  bool is_made_by_all(FunctionPlace place, int block, NodeNumber passed) const {
    std::set<std::pair<FunctionPlace, NodeNumber>> asked;
    return is_made_by_all(place, block, passed, asked);
  }
  bool is_made_by_all(FunctionPlace place, int block, NodeNumber passed,
                      std::set<std::pair<FunctionPlace, NodeNumber>>& asked) const {
    if (!program_.by_all(place, block)) return false;
    if (!asked.insert({place, passed}).second) return true;
    const Node* node = &program_.at(place).nodes[passed];
    while (node->operation == Operation::at) node = &program_.at(place).nodes[node->operands[0]];
    if (node->operation == Operation::pointed)
      return program_.memory_of(place, passed).size() <= 1 && program_.leads_nowhere_else(place, passed);
    const auto callers = program_.callers_.find(place);
    if (node->operation != Operation::behind || callers == program_.callers_.end()) return true;
    return std::ranges::all_of(callers->second, [&](const CallPlace& caller) {
      const auto given = program_.passed(caller, node->bits);
      return given &&
             is_made_by_all(caller.function,
                            program_.at(caller.function).calls[static_cast<std::size_t>(caller.call)].block,
                            *given, asked);
    });
  }
  // All processes receive the value of one. If it is the same in all of them, nothing changes.
  void note_broadcast(const LibraryCall& call) {
    if (!call.argument(0)) return;
    if (is_bottom(call, 0) || !is_made_by_all(call.place, call.call.block, *call.argument(0)))
      return overwrite(call, 0);
    const auto differs = [](const Formula& formula) {
      return std::ranges::any_of(inputs_of(formula), [](const Input& input) {
        return input.kind == InputKind::rank || input.kind == InputKind::grid_coordinate;
      });
    };
    std::set<Memory> given;
    for (Memory from : program_.memory_of(call.place, *call.argument(0))) {
      if (program_.habits_.begins_anywhere) from.offset = std::numeric_limits<std::int64_t>::min();
      const auto add = [&](const auto& known) {
        for (auto each = known.lower_bound(from); each != known.end() && is_behind(each->first, from); ++each)
          given.insert(each->first);
      };
      add(program_.stores_);
      add(program_.written_);
    }
    for (const Memory& memory : given) {
      const Candidates found = program_.stored({memory});
      if (found.formulas.empty() || std::ranges::any_of(found.formulas, differs))
        program_.also_store({memory}, kOfNumber);
    }
  }
  static bool is_behind(Memory memory, const Memory& from) {
    memory.offset = from.offset;
    return memory == from;
  }

  // For another communicator, these equal rank and size of all processes only by chance.
  void note_processes(const LibraryCall& call) {
    if (call.name == "MPI_Comm_rank") write(call, 1, 0, input({InputKind::rank}, 32), is_world(call));
    if (call.name == "MPI_Comm_size") write(call, 1, 0, input({InputKind::processes}, 32), is_world(call));
  }
  void note_processes_of_grid(const LibraryCall& call) {
    if ((call.name != "MPI_Comm_rank" && call.name != "MPI_Comm_size") || !call.argument(1) || !is_grid(call))
      return;
    for (const Memory& memory : program_.memory_of(call.place, *call.argument(1)))
      for (Writing& writing : program_.written_[memory])
        if (writing.by == &call.call) writing.sole = true;
  }

  // Returns whether the extent is 0 before, stored on its own or together with the previous one. The initial
  // value of a global is not known, nor that of a local.
  bool is_zero_before(Memory extent) const {
    const auto zero = [this](const StorePlace& store) { return program_.is_zero(store); };
    if (const auto stores = program_.stores_.find(extent); stores != program_.stores_.end())
      return std::ranges::all_of(stores->second, zero);
    extent.offset -= 4;
    const auto wide = [this](const StorePlace& store) {
      return program_.at(store.function).nodes[store.value].bits == 64;
    };
    const auto stores = program_.stores_.find(extent);
    return stores != program_.stores_.end() && std::ranges::all_of(stores->second, zero) &&
           std::ranges::all_of(stores->second, wide);
  }

  // MPI_Dims_create is free to choose all extents if they are 0 before.
  void note_extents(const LibraryCall& call) {
    const int count = dimensions(call, 1);
    if (count == 0) overwrite(call, 2);
    bool free = is_processes(call, 0);
    for (int d = 0; d < count && free && call.argument(2); ++d)
      for (Memory memory : program_.memory_of(call.place, *call.argument(2))) {
        memory.offset += 4 * d;
        free = free && is_zero_before(memory);
      }
    for (int d = 0; d < count; ++d)
      write(call, 2, 4 * d, input({InputKind::grid_extent, d, count}, 32), free);
  }

  void note_grid(const LibraryCall& call) {
    const int count = dimensions(call, 1);
    bool known = is_world(call) && count > 0 && call.argument(2);
    for (int d = 0; d < count && known; ++d) {
      std::set<Memory> extents;
      for (Memory memory : program_.memory_of(call.place, *call.argument(2))) {
        memory.offset += 4 * d;
        extents.insert(std::move(memory));
      }
      const Candidates found = program_.stored(extents);
      known = found.sole && !found.formulas.empty() &&
              same(found.formulas.front(), input({InputKind::grid_extent, d, count}, 32));
    }
    if (!call.argument(5)) return;
    for (const Memory& memory : program_.memory_of(call.place, *call.argument(5))) {
      bool& all = grids_.try_emplace(memory, true).first->second;
      all = all && known;
    }
  }

  void note_coordinates(const LibraryCall& call, std::size_t of_count, std::size_t argument) {
    const int count = dimensions(call, of_count);
    if (call.name == "MPI_Cart_get") overwrite(call, 3);  // periods of the dimensions
    if (count == 0) {
      overwrite(call, argument);
      if (call.name == "MPI_Cart_get") overwrite(call, 2);
    }
    const bool of_all = is_grid(call);
    for (int d = 0; d < count; ++d) {
      write(call, argument, 4 * d, input({InputKind::grid_coordinate, d, count}, 32), of_all);
      if (call.name == "MPI_Cart_get")
        write(call, 2, 4 * d, input({InputKind::grid_extent, d, count}, 32), of_all);
    }
  }

  LinkedProgram& program_;
  std::vector<LibraryCall> calls_;
  // communicators from MPI_Cart_create: whether they are grids of all processes with extents from
  // MPI_Dims_create
  std::map<Memory, bool> grids_;
};

void LinkedProgram::note_unknown_writes() {
  WritingCalls(*this).note_unknown();
}

void LinkedProgram::note_writing_calls() {
  WritingCalls(*this).note();
}

}  // namespace parcast::facts
