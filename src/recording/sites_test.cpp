// SPDX-License-Identifier: Apache-2.0
// Looks up the marked lines of a library compiled for this test (sites_sample.cpp), with and without debug
// data.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "recording/debug_file.h"
#include "recording/sample_rank.h"
#include "recording/sites_sample.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

[[gnu::noinline]] void* here() {
  return __builtin_return_address(0);
}

const std::string kSource = PARCAST_SOURCE_DIR "/src/recording/sites_sample.cpp";
const std::string kArgument = "(void* (*)())";

/// Returns the line of the source that ends with this comment.
int line_of(const std::string& mark) {
  std::ifstream source(kSource);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.ends_with("// " + mark)) return number;
  ADD_FAILURE() << mark << " is not marked";
  return 0;
}

Dl_info library_of(void* address) {
  Dl_info info{};
  EXPECT_NE(dladdr(address, &info), 0);
  return info;
}

/// Looks up the site of a return address in `file`, a copy of the library.
Site site_in(const std::string& file, void* address) {
  const Dl_info library = library_of(address);
  Recording recording;
  recording.ranks.resize(1);
  recording.ranks[0].modules = {{file, DebugFile(library.dli_fname).build_id()}};
  Site site;
  site.module = 0;
  site.offset =
      static_cast<std::uint64_t>(static_cast<char*>(address) - static_cast<char*>(library.dli_fbase));
  recording.ranks[0].sites = {site};
  resolve_sites(recording);
  return recording.ranks[0].sites[0];
}

std::string library() {
  return library_of(sample_solve(here)).dli_fname;
}

void run(const std::string& line) {
  ASSERT_EQ(std::system(line.c_str()), 0) << line;
}

void expect_chain(const Site& site) {
  EXPECT_EQ(site.function, "sample::Field<int>::exchange" + kArgument);
  EXPECT_EQ(fs::path(site.file).filename(), "sites_sample.cpp");
  EXPECT_EQ(site.line, line_of("innermost"));
  ASSERT_EQ(site.inlined_into.size(), 2u);
  EXPECT_EQ(site.inlined_into[0].function, "sample::step(void* (*)(), int)");
  EXPECT_EQ(site.inlined_into[0].line, line_of("middle"));
  EXPECT_EQ(site.inlined_into[1].function, "sample_solve");
  EXPECT_EQ(site.inlined_into[1].line, line_of("outermost"));
  for (const Frame& frame : site.inlined_into) EXPECT_EQ(fs::path(frame.file).filename(), "sites_sample.cpp");
}

TEST(Sites, InlinedFunctionsAreNamedFromTheInsideOut) {
  expect_chain(site_in(library(), sample_solve(here)));
}

TEST(Sites, WhatIsNotInlinedIsPartOfNothing) {
  const Site site = site_in(library(), sample_plain(here));
  // GCC omits the namespace of functions without linkage
  EXPECT_NE(site.function.find("hidden"), std::string::npos) << site.function;
  EXPECT_EQ(site.line, line_of("hidden"));
  EXPECT_TRUE(site.inlined_into.empty());
}

#ifdef PARCAST_CLANG
// For a call that belongs to several lines clang gives line 0; here such a call follows one of line 3.
TEST(Sites, OfACallThatBelongsToSeveralLinesTheOneBeforeIsTold) {
  const Scratch scratch;
  std::ofstream(scratch / "merged.ll") << R"(
define ptr @merged(ptr %where) !dbg !4 {
  %before = call ptr %where(), !dbg !7
  %at = call ptr %where(), !dbg !8
  ret ptr %at, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "merged.c", directory: "/src")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "merged", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 3, column: 1, scope: !4)
!8 = !DILocation(line: 0, scope: !4)
!9 = !DILocation(line: 5, column: 1, scope: !4)
)";
  run(PARCAST_CLANG " -w -shared -fPIC -Wl,--build-id -o " + (scratch / "merged.so").string() + " " +
      (scratch / "merged.ll").string());
  void* library = dlopen((scratch / "merged.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const Site site = site_in(scratch / "merged.so",
                            reinterpret_cast<void* (*)(void* (*)())>(dlsym(library, "merged"))(here));
  EXPECT_EQ(site.function, "merged");
  EXPECT_EQ(site.line, 3);
  EXPECT_EQ(site.file, "/src/merged.c");
  dlclose(library);
}
#endif

TEST(Sites, WithoutDebugDataTheSymbolRemains) {
  const Scratch scratch;
  const std::string copy = scratch / "copy.so";
  run("objcopy --strip-debug " + library() + " " + copy);
  const Site inlined = site_in(copy, sample_solve(here)), hidden = site_in(copy, sample_plain(here)),
             c = site_in(copy, f(here));
  EXPECT_EQ(inlined.function, "sample_solve");
  EXPECT_TRUE(inlined.file.empty());
  EXPECT_TRUE(inlined.inlined_into.empty());
  EXPECT_EQ(hidden.function, "sample::(anonymous namespace)::hidden" + kArgument);
  EXPECT_EQ(c.function, "f") << "which is no mangled type";
}

TEST(Sites, WithoutSymbolsNothingIsGuessed) {
  const Scratch scratch;
  const std::string copy = scratch / "copy.so";
  run("strip -o " + copy + " " + library());
  EXPECT_EQ(site_in(copy, sample_solve(here)).function, "sample_solve") << "which the dynamic linker needs";
  const Site hidden = site_in(copy, sample_plain(here));
  EXPECT_EQ(hidden.function, "");
  EXPECT_EQ(hidden.file, "");
  EXPECT_NE(hidden.offset, 0u);
}

TEST(Sites, ASeparateFileIsFoundByItsLink) {
  const Scratch scratch;
  const std::string copy = scratch / "copy.so", debug = scratch / "copy.debug";
  run("objcopy --only-keep-debug " + library() + " " + debug);
  run("objcopy --strip-debug --add-gnu-debuglink=" + debug + " " + library() + " " + copy);
  expect_chain(site_in(copy, sample_solve(here)));
  fs::create_directory(scratch / ".debug");
  fs::rename(debug, scratch / ".debug" / "copy.debug");
  expect_chain(site_in(copy, sample_solve(here)));
  std::ofstream(scratch / ".debug" / "copy.debug", std::ios::app) << "changed";
  EXPECT_EQ(site_in(copy, sample_solve(here)).file, "") << "another file than the one that was linked";
}

TEST(Sites, AnotherBuildIsNotLookedAt) {
  const Scratch scratch;
  const std::string copy = scratch / "copy.so";
  run("objcopy --remove-section .note.gnu.build-id " + library() + " " + copy);
  EXPECT_EQ(site_in(copy, sample_solve(here)).function, "");
  EXPECT_EQ(site_in(scratch / "missing.so", sample_solve(here)).function, "");
}

}  // namespace
}  // namespace parcast::recording
