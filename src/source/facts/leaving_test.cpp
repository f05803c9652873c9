// SPDX-License-Identifier: Apache-2.0
// Calls that may not return to their caller.
#include <gmock/gmock.h>

#include "source/facts/derivation.h"
#include "source/facts/testing/test_programs.h"

namespace parcast::facts {
namespace {

/// Returns a function that calls `callee`. Its handler takes the types `takes` and begins with a call of
/// `handler`.
std::string catching(const std::string& name, const std::string& callee, const std::string& handler,
                     const std::string& takes = "null") {
  return R"(,{"name":")" + name +
         R"(","shape":"3","arcs":[[1,0],[3,4],[5,6],[0,1],[0,3],[0,5,null],[4,0],[6,3]],"invoked":[[4,0],[5,0]],
"blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}},{"at":[],"operations":{},"takes":[)" +
         takes + R"(]}],"calls":[{"block":0,"at":[],"to":")" + callee +
         R"(","arguments":[]},{"block":2,"at":[],"to":")" + handler + R"(","arguments":[]}],"nodes":[]})";
}

const std::string kCatches = catching("somewhere", "puts", "__cxa_begin_catch");

/// Returns whether control may leave main's call of f, or the call in function `caller` between them. Some
/// handler exists.
bool leaves(const std::string& more, int caller, const std::string& catches = kCatches) {
  const auto modules = three_blocks("", R"({"block":0,"at":[],"to":"f","arguments":[]})", "", more + catches);
  return LinkedProgram(modules).may_leave({0, caller},
                                          modules[0].functions[static_cast<std::size_t>(caller)].calls[0]);
}

TEST(Leaving, WhatThrowsOrCallsWhatDoesMayNotComeBack) {
  EXPECT_FALSE(leaves(calling("f", "puts"), 1));
  EXPECT_FALSE(leaves(calling("f", "g") + calling("g", "f"), 1));
  EXPECT_TRUE(leaves(calling("f", "__cxa_throw"), 1));
  EXPECT_TRUE(leaves(calling("f", "g") + calling("g", "longjmp"), 1));
  EXPECT_FALSE(leaves(calling("f", ""), 1));
  EXPECT_TRUE(leaves(calling("f", "") + calling("g", "longjmp"), 1)) << "through a pointer";
  EXPECT_TRUE(leaves(calling("f", "_ZSt24__throw_out_of_range_fmtPKcz"), 1)) << "the library throws";
  EXPECT_FALSE(leaves(calling("f", "_ZSt20__throw_length_errorPKc"), 1))
      << "a size that cannot be ends the process";
  EXPECT_TRUE(leaves(calling("f", "_ZNSt6localeC1EPKc"), 1)) << "there may be none of that name";
  EXPECT_FALSE(leaves(calling("f", "_ZNSt6localeC1Ev"), 1)) << "the usual one is always there";
  EXPECT_TRUE(leaves(calling("f", "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm"), 1));
  EXPECT_FALSE(
      leaves(calling("f", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm"), 1));
  EXPECT_FALSE(leaves(calling("f", "__cxa_throw"), 1, "")) << "nothing is caught: it ends the process";
  EXPECT_FALSE(
      leaves(calling("f", "__cxa_throw"), 1, catching("somewhere", "puts", "__clang_call_terminate")))
      << "that only ends it";
  EXPECT_FALSE(leaves(calling("f", "__cxa_throw"), 1, catching("somewhere", "puts", "__cxa_rethrow")))
      << "that only throws it again";
  EXPECT_TRUE(leaves(calling("f", "_ZN5boost3anyEv"), 1)) << "of a library that nobody knows";
  EXPECT_FALSE(leaves(calling("f", "_ZN5boost3anyEv") + calling("_ZN5boost3anyEv", "puts"), 1));
}

TEST(Leaving, WhatEndsTheProcessWellDoesNotComeBack) {
  const auto ends = [](const std::string& name, const std::string& code, const std::string& passed = "") {
    if (!passed.empty()) {
      const auto modules = three_blocks(
          "", R"({"block":0,"at":[],"to":"f","arguments":[0]})", R"(["int",32,)" + passed + "]",
          R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":")" +
              name + R"(","arguments":[0]}],"nodes":[)" + code + "]}");
      return LinkedProgram(modules).may_leave({0, 0}, modules[0].functions[0].calls[0]);
    }
    const std::string f =
        R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":")" +
        name + R"(","arguments":[0]}],"nodes":[)" + code + "]}";
    return leaves(f, 0);
  };
  EXPECT_TRUE(ends("exit", R"(["int",32,0])"));
  EXPECT_TRUE(ends("exit", R"(["argument",32,0])")) << "nobody knows the code";
  EXPECT_FALSE(ends("exit", R"(["int",32,1])")) << "no run that ends well goes there";
  EXPECT_FALSE(ends("exit", R"(["argument",32,0])", "1")) << "all pass a code on";
  EXPECT_TRUE(ends("exit", R"(["argument",32,0])", "0"));
  EXPECT_FALSE(ends("exit", R"(["int",32,511])"));
  EXPECT_TRUE(ends("exit", R"(["int",32,512])")) << "the lowest eight bits reach who waits";
  EXPECT_TRUE(ends("_FortranAExit", R"(["int",32,0])"));
  EXPECT_FALSE(ends("_FortranAExit", R"(["int",32,2])"));
  for (const char* another : {"pthread_exit", "thrd_exit", "execv", "execlp", "setjmp"})
    EXPECT_TRUE(ends(another, R"(["int",32,0])")) << another;
  EXPECT_FALSE(ends("puts", R"(["int",32,0])"));
}

TEST(Leaving, WhatEndsTheProcessMayBeTheProgramsOwn) {
  const std::string ends = calling("f", "_ZSt9terminatev");
  EXPECT_FALSE(leaves(ends, 1));
  EXPECT_TRUE(leaves(ends + calling("g", "_ZSt13set_terminatePFvvE"), 1));
}

TEST(Leaving, WhatIsCalledBackMayLeave) {
  const auto calls_back = [](const std::string& name) {
    return three_blocks("", R"({"block":0,"at":[],"to":"qsort","arguments":[0]})",
                        R"(["global",")" + name + R"(",0])",
                        calling("order", "longjmp") + calling("other", "puts"));
  };
  for (const auto& [name, may] : {std::pair("order", true), {"other", false}}) {
    const auto modules = calls_back(name);
    EXPECT_EQ(LinkedProgram(modules).may_leave({0, 0}, modules[0].functions[0].calls[0]), may) << name;
  }
}

TEST(Leaving, AnAddressThatGoesAnywhereMayBeCalledBackFromAnywhere) {
  const auto leaves_by = [](const std::string& called, const std::string& more = "") {
    auto modules = three_blocks("", R"({"block":0,"at":[],"to":")" + called + R"(","arguments":[]})", "",
                                calling("f", "longjmp") + more);
    modules[0].taken = {"f"};
    return LinkedProgram(modules).may_leave({0, 0}, modules[0].functions[0].calls[0]);
  };
  EXPECT_TRUE(leaves_by("g_main_loop_run"));
  EXPECT_FALSE(leaves_by("malloc"));
  EXPECT_FALSE(leaves_by("memcmp"));
  EXPECT_FALSE(leaves_by("MPI_Send"));
  EXPECT_TRUE(leaves_by("MPI_Send", calling("g", "MPI_Comm_set_errhandler")))
      << "its error handler is the program's";
}

TEST(Leaving, WhatIsCaughtComesBack) {
  const std::string thrower = calling("g", "__cxa_throw"), jumper = calling("g", "longjmp");
  EXPECT_FALSE(leaves(catching("f", "g", "__cxa_begin_catch") + thrower, 1))
      << "the call itself goes on by a way of the graph";
  EXPECT_TRUE(leaves(calling("f", "h") + catching("h", "g", "_Unwind_Resume", "") + thrower, 1))
      << "there it only cleans up";
  EXPECT_FALSE(leaves(calling("f", "h") + catching("h", "g", "__cxa_begin_catch") + thrower, 1));
  EXPECT_TRUE(leaves(calling("f", "h") + catching("h", "g", "__cxa_begin_catch") + jumper, 1))
      << "past handlers";
  // Exceptions that main does not catch end the process; jumps may lead into main.
  EXPECT_FALSE(leaves(calling("f", "__cxa_throw"), 0));
  EXPECT_TRUE(leaves(calling("f", "longjmp"), 0));
}

/// Returns a function that throws these types.
std::string throwing(const std::string& name, const std::string& types) {
  return R"(,{"name":")" + name +
         R"(","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":"__cxa_throw","arguments":[],"throws":[)" +
         types + R"(]}],"nodes":[]})";
}

/// Returns whether f may be left by the exception of g. f calls h, and h calls g with a handler for `takes`.
bool passes(const std::string& thrower, const std::string& takes) {
  return leaves(calling("f", "h") + catching("h", "g", "__cxa_begin_catch", takes) + thrower, 1);
}

TEST(Leaving, WhatIsThrownIsCaughtByHandlersOfItsTypeOrOfABase) {
  const std::string number = throwing("g", R"("_ZTIi")"),
                    derived = throwing("g", R"("_ZTI4Mine","_ZTISt13runtime_error","_ZTISt9exception")"),
                    any = throwing("g", "null");
  EXPECT_FALSE(passes(number, R"("_ZTIi")"));
  EXPECT_TRUE(passes(number, R"("_ZTIl")"));
  EXPECT_FALSE(passes(number, R"("_ZTIl",null)"));
  EXPECT_FALSE(passes(number, R"("_ZTIl","_ZTIi")"));
  EXPECT_FALSE(passes(derived, R"("_ZTISt9exception")"));
  EXPECT_TRUE(passes(derived, R"("_ZTISt11logic_error")"));
  EXPECT_TRUE(passes(any, R"("_ZTISt9exception")"));
  EXPECT_TRUE(passes(number, R"("")")) << "a handler of which nobody tells what it takes";
  EXPECT_FALSE(passes(calling("g", "_ZSt24__throw_out_of_range_fmtPKcz"), R"("_ZTISt9exception")"))
      << "of the library";
  EXPECT_TRUE(passes(calling("g", "_ZSt24__throw_out_of_range_fmtPKcz"), R"("_ZTISt13runtime_error")"));
  EXPECT_TRUE(passes(calling("g", "__cxa_rethrow") + throwing("other", R"("_ZTIl")"), R"("_ZTIi")"))
      << "whatever it was";
  EXPECT_TRUE(leaves(calling("f", "h") + catching("h", "g", "__cxa_rethrow") + number, 1))
      << "caught, and thrown again";
  EXPECT_FALSE(passes(calling("g", "__cxa_rethrow") + throwing("other", R"("_ZTIi")"), R"("_ZTIi")"))
      << "nothing else is thrown";
  EXPECT_TRUE(
      passes(calling("g", "") + throwing("other", R"("_ZTIl")") + calling("somewhere", "__cxa_rethrow"),
             R"("_ZTIi")"))
      << "through a pointer";
}

/// As calling(), with the arguments of the call and with nodes.
std::string passing_to(const std::string& name, const std::string& callee, const std::string& arguments,
                       const std::string& nodes) {
  return R"(,{"name":")" + name +
         R"(","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":")" +
         callee + R"(","arguments":[)" + arguments + R"(]}],"nodes":[)" + nodes + "]}";
}

/// Returns whether f may be left by its call, when g throws and its address is passed elsewhere. Some handler
/// takes all.
bool leaves_back(const std::string& callee, const std::string& more = "",
                 const std::vector<std::string>& taken = {"g"}) {
  auto modules = three_blocks("", R"({"block":0,"at":[],"to":"f","arguments":[]})", "",
                              calling("f", callee) + throwing("g", R"("_ZTIi")") + more + kCatches);
  modules[0].taken = taken;
  return LinkedProgram(modules).may_leave({0, 1}, modules[0].functions[1].calls[0]);
}

TEST(Leaving, WhatLibrariesCallBackMayThrow) {
  EXPECT_TRUE(leaves_back("twalk")) << "it may have got the address before";
  EXPECT_FALSE(leaves_back("twalk", "", {})) << "none goes anywhere";
  EXPECT_FALSE(leaves_back("strlen"));
  EXPECT_FALSE(leaves_back("MPI_Reduce"));
  EXPECT_TRUE(leaves_back("MPI_Reduce", calling("h", "MPI_Op_create")));
  EXPECT_TRUE(leaves_back("MPI_Wait", calling("h", "mpi_grequest_start_")));
  EXPECT_FALSE(leaves_back("fflush"));
  EXPECT_TRUE(leaves_back("fflush", calling("h", "fopencookie")));
  EXPECT_FALSE(leaves_back("_ZNSo3putEc"));
  EXPECT_TRUE(leaves_back("_ZNSo3putEc", "", {"g", "_ZNSt15basic_streambufIcSt11char_traitsIcEE4syncEv"}))
      << "a class of the program's own";
  EXPECT_FALSE(leaves_back("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm", "",
                           {"g", "_ZNSt15basic_streambufIcSt11char_traitsIcEE4syncEv"}));
}

TEST(Leaving, PointersMayLeadIntoLibraries) {
  const auto leaves_through = [](const std::vector<std::string>& taken, const std::string& more = "") {
    auto modules = three_blocks("", "", "", calling("f", "") + more + kCatches);
    modules[0].taken = taken;
    return LinkedProgram(modules).may_leave({0, 1}, modules[0].functions[1].calls[0]);
  };
  EXPECT_FALSE(leaves_through({}));
  EXPECT_FALSE(leaves_through({"puts"}));
  EXPECT_TRUE(leaves_through({"_ZSt20__throw_out_of_rangePKc"}));
  EXPECT_TRUE(leaves_through({}, calling("h", "dlsym")));
  EXPECT_TRUE(leaves_through(
      {}, calling("h", "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode")));
}

TEST(Leaving, NewThrowsWhatTheProgramSays) {
  EXPECT_FALSE(leaves(calling("f", "_Znwm"), 1));
  EXPECT_TRUE(leaves(calling("f", "_Znwm") + calling("g", "_ZSt15set_new_handlerPFvvE"), 1));
}

TEST(Leaving, AThreadThatIsCancelledLeavesFromLibraries) {
  EXPECT_FALSE(leaves(calling("f", "usleep"), 1));
  EXPECT_TRUE(leaves(calling("f", "usleep") + calling("g", "pthread_cancel"), 1));
  EXPECT_FALSE(leaves(calling("f", "sqrt") + calling("g", "pthread_cancel"), 1));
}

TEST(Leaving, WhatEndsInFailureMayBeTurned) {
  const std::string aborts = calling("f", "abort"), numbers = R"(["int",32,6],["int",32,2])";
  EXPECT_FALSE(leaves(calling("f", "__cxa_throw"), 1, ""));
  const auto handling = [&](const std::string& arguments) {
    const auto modules = three_blocks("", "", "", aborts + passing_to("g", "signal", arguments, numbers));
    return !LinkedProgram(modules).only_fails({0, 1}, 0);
  };
  EXPECT_TRUE(handling("0")) << "SIGABRT";
  EXPECT_FALSE(handling("1")) << "SIGINT";
  EXPECT_TRUE(handling("null"));
  EXPECT_FALSE(
      LinkedProgram(three_blocks("", "", "", aborts + calling("abort", "puts"))).only_fails({0, 1}, 0))
      << "the program's own";
  const auto exiting = [&](const std::string& code, const std::string& registers) {
    const auto modules =
        three_blocks("", "", "",
                     passing_to("f", "exit", "0", R"(["int",32,3])") +
                         passing_to("g", "_exit", "0", R"(["int",32,)" + code + "]") + registers);
    return !LinkedProgram(modules).only_fails({0, 1}, 0);
  };
  EXPECT_TRUE(exiting("0", calling("h", "atexit")));
  EXPECT_FALSE(exiting("1", calling("h", "atexit")));
  EXPECT_FALSE(exiting("0", ""));
}

TEST(Leaving, AHandlerThatGoesOnForEverCatches) {
  const std::string for_ever =
      R"(,{"name":"h","shape":"3","arcs":[[1,0],[3,4],[5,6],[0,1],[0,3],[0,5,null],[4,0],[6,5]],"invoked":[[4,0],[5,0]],
"blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}},{"at":[],"operations":{},"takes":[null]}],"calls":[{"block":0,"at":[],"to":"puts","arguments":[]},{"block":2,"at":[],"to":"pause","arguments":[]}],"nodes":[]})";
  EXPECT_TRUE(leaves(calling("f", "__cxa_throw") + for_ever, 1, ""));
}

TEST(Leaving, StreamsThrowWhereTheyAreTold) {
  const auto leaves_by = [](const std::string& state) {
    const std::string given =
        R"(,{"name":"g","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":"_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate","arguments":[0,1]}],"nodes":[["somewhere"],)" +
        state + "]}";
    return leaves(calling("f", "_ZNSirsERi") + given, 1);
  };
  EXPECT_TRUE(leaves_by(R"(["load",32,0])")) << "exceptions()";
  EXPECT_FALSE(leaves_by(R"(["int",32,0])")) << "clear()";
  EXPECT_FALSE(leaves_by(R"(["or",32,0,0])")) << "setstate()";
}

TEST(Leaving, TwoThatAreThrownAreBothToBeCaught) {
  const std::string both = calling("g", "one") + throwing("one", R"("_ZTIi")"),
                    other = throwing("two", R"("_ZTIl")");
  EXPECT_FALSE(passes(both + other, R"("_ZTIi")"));
  const std::string calls_two =
      R"(,{"name":"g","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":"one","arguments":[]},{"block":0,"at":[],"to":"two","arguments":[]}],"nodes":[]})";
  const std::string thrower = calls_two + throwing("one", R"("_ZTIi")") + other;
  EXPECT_TRUE(passes(thrower, R"("_ZTIi")"));
  EXPECT_FALSE(passes(thrower, R"("_ZTIi","_ZTIl")"));
}

TEST(Leaving, AWayToAHandlerIsTakenOnlyWhereTheCallThrows) {
  const auto may_unwind = [](const std::string& g, std::size_t arc) {
    return LinkedProgram(three_blocks("", "", "", catching("f", "g", "__cxa_begin_catch") + g))
        .may_unwind({0, 1}, arc);
  };
  constexpr std::size_t kOn = 4, kToHandler = 5;
  EXPECT_TRUE(may_unwind(calling("g", "__cxa_throw"), kToHandler));
  EXPECT_FALSE(may_unwind(calling("g", "MPI_Barrier"), kToHandler));
  EXPECT_TRUE(may_unwind(calling("g", "MPI_Barrier"), kOn));
  EXPECT_TRUE(may_unwind(calling("g", "pthread_exit"), kToHandler)) << "through handlers";
}

TEST(Leaving, WhatNoHandlerInTheProgramTakesEndsTheProcess) {
  const auto may_leave = [](const std::string& types, const std::string& handlers,
                            const std::string& name = "f") {
    auto modules = three_blocks(
        "", R"({"block":0,"at":[],"to":"f","arguments":[]})", "",
        calling("f", "g") + throwing("g", types) + catching("h", "other", "__cxa_begin_catch", handlers));
    if (name == "g") modules[0].taken = {"g"};
    return LinkedProgram(modules).may_leave({0, 1}, modules[0].functions[1].calls[0]);
  };
  EXPECT_FALSE(may_leave(R"("_ZTIi")", R"("_ZTIl")"));
  EXPECT_TRUE(may_leave(R"("_ZTIi",null)", R"("_ZTIl")"))
      << "a handler may take it by a base that is not told";
  EXPECT_TRUE(may_leave(R"("_ZTIi")", R"("_ZTIl","")")) << "or one of which nobody tells what it takes";
  EXPECT_TRUE(may_leave(R"("_ZTIi")", "null"));
  EXPECT_TRUE(may_leave(R"("_ZTIi")", R"("_ZTIi")"));
  EXPECT_TRUE(may_leave(R"("_ZTIi")", R"("_ZTIl")", "g")) << "a library that calls it may catch";
  const std::string end = catching("h", "other", "__clang_call_terminate");
  const auto modules = three_blocks("", R"({"block":0,"at":[],"to":"f","arguments":[]})", "",
                                    calling("f", "g") + throwing("g", R"("_ZTIi")") + end +
                                        catching("h2", "other", "__cxa_begin_catch", R"("_ZTIl")"));
  EXPECT_FALSE(LinkedProgram(modules).may_leave({0, 1}, modules[0].functions[1].calls[0]))
      << "that takes all and ends the process";
}

TEST(Leaving, WhatIsNotCaughtInMainEndsTheProcess) {
  const std::string resumes = R"({"block":2,"at":[],"to":"_Unwind_Resume","arguments":[]})";
  const auto in_main = three_blocks("", resumes, "");
  EXPECT_FALSE(LinkedProgram(in_main).may_leave({0, 0}, in_main[0].functions[0].calls[0]));
  EXPECT_TRUE(LinkedProgram(in_main).only_fails({0, 0}, 2));
  const auto in_another = [](const std::string& thrower) {
    return three_blocks("", "", "", catching("f", "g", "_Unwind_Resume", "") + thrower + kCatches);
  };
  const auto throws = in_another(calling("g", "__cxa_throw")), does_not = in_another(calling("g", "puts"));
  const auto resume = [](const std::vector<Module>& modules) -> const Call& {
    return modules[0].functions[1].calls[1];
  };
  EXPECT_TRUE(LinkedProgram(throws).may_leave({0, 1}, resume(throws)));
  EXPECT_FALSE(LinkedProgram(throws).only_fails({0, 1}, 2));
  EXPECT_FALSE(LinkedProgram(does_not).may_leave({0, 1}, resume(does_not)));
  EXPECT_TRUE(LinkedProgram(does_not).only_fails({0, 1}, 2)) << "nothing gets there";
  const auto ends_threads = in_another(calling("g", "pthread_exit"));
  EXPECT_FALSE(LinkedProgram(ends_threads).only_fails({0, 1}, 2)) << "a thread that ends gets there";
}

}  // namespace
}  // namespace parcast::facts
