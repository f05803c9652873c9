# SPDX-License-Identifier: Apache-2.0
# Each folder of src/ is one library, together with its tests:
#
#   parcast_library(symbolic
#     SOURCES expression.cpp parse.cpp
#     DEPENDS base                  # other folders, as in tools/layers.txt; source/facts is source_facts
#     PRIVATE_LIBS Eigen3::Eigen    # third parties that no other library sees
#     APART drawing.cpp             # of both kinds: compiled by itself also with PARCAST_UNITY, because its
#                                   # local names occur in other files
#     TESTS expression_test.cpp
#     TEST_LIBS rapidcheck)

find_program(PARCAST_CCACHE ccache)
if(PARCAST_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${PARCAST_CCACHE})
  # Without these, ccache keeps nothing that was compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    ${PARCAST_CCACHE})
endif()

# A third of the work for a clean build; but a changed file compiles its neighbours too.
option(PARCAST_UNITY "Compile C++ files of a library together" ON)

# Compiles the C++ files of a target together, 8 at a time, except the given ones and C.
function(parcast_unity target)
  if(NOT PARCAST_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$")
  set_source_files_properties(${sources} ${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # GCC takes classes of a file for classes of a header when another file includes it.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

function(parcast_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
    $<$<BOOL:${PARCAST_WERROR}>:-Werror>)
  # GCC 12 warns of std::string concatenations that are correct (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  # Results are the same bytes with all flags: no contraction of a*b+c.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(PARCAST_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PARCAST_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer -g)
    target_link_options(${target} PRIVATE -fsanitize=${PARCAST_SANITIZE})
  endif()
  if(PARCAST_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

function(parcast_library name)
  cmake_parse_arguments(A "" "" "SOURCES;APART;DEPENDS;PUBLIC_LIBS;PRIVATE_LIBS;TESTS;TEST_LIBS" ${ARGN})
  add_library(parcast_${name} STATIC ${A_SOURCES})
  parcast_unity(parcast_${name} ${A_APART})
  parcast_compile_options(parcast_${name})
  target_include_directories(parcast_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM A_DEPENDS PREPEND parcast_)
  target_link_libraries(parcast_${name} PUBLIC ${A_DEPENDS} ${A_PUBLIC_LIBS} PRIVATE ${A_PRIVATE_LIBS})
  if(PARCAST_TESTS AND A_TESTS)
    parcast_test(${name}_test SOURCES ${A_TESTS} LIBS parcast_${name} ${A_TEST_LIBS})
    parcast_unity(parcast_${name}_test ${A_APART})
  endif()
endfunction()

# Options for tests. The tested code is built as it ships; the tests themselves use -O1, which compiles in
# three quarters of the time.
function(parcast_test_options target)
  parcast_compile_options(${target})
  # An assertion after an if without braces is readable, and its macro supports it.
  target_compile_options(${target} PRIVATE -Wno-dangling-else $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main)
  # the same for the headers as for executables
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# Headers that all tests include are compiled once, which saves a second for each of 200 files.
function(parcast_test_headers)
  if(TARGET parcast_test_headers)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp
    CONTENT "// The target of the precompiled headers needs a source.\n")
  add_library(parcast_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  parcast_test_options(parcast_test_headers)
  target_precompile_headers(parcast_test_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem>
    <fstream> <functional> <limits> <map> <memory> <numeric> <optional> <random> <set> <span> <sstream>
    <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <gmock/gmock.h>
    <gtest/gtest.h>)
endfunction()

# Adds a GoogleTest executable. Its cases are registered with ctest one by one; with ALONE, as one test that
# runs on its own. With PARTS, the cases whose parameter has such a name are one test, which sets up their
# shared data once, and the others are another test.
function(parcast_test name)
  cmake_parse_arguments(A "ALONE" "" "SOURCES;LIBS;PARTS" ${ARGN})
  add_executable(parcast_${name} ${A_SOURCES})
  parcast_test_options(parcast_${name})
  if(NOT "${A_SOURCES}" MATCHES "\\.c(;|$)")
    parcast_test_headers()
    target_precompile_headers(parcast_${name} REUSE_FROM parcast_test_headers)
  endif()
  target_link_libraries(parcast_${name} PRIVATE ${A_LIBS})
  target_compile_definitions(parcast_${name} PRIVATE PARCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PARCAST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(A_ALONE)
    add_test(NAME ${name} COMMAND parcast_${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 RUN_SERIAL ON)
  elseif(A_PARTS)
    foreach(part ${A_PARTS})
      add_test(NAME ${name}_${part} COMMAND parcast_${name} --gtest_filter=*/${part})
    endforeach()
    list(TRANSFORM A_PARTS PREPEND */ OUTPUT_VARIABLE others)
    list(JOIN others : others)
    add_test(NAME ${name}_others COMMAND parcast_${name} --gtest_filter=-${others})
    list(TRANSFORM A_PARTS PREPEND ${name}_ OUTPUT_VARIABLE tests)
    set_tests_properties(${tests} ${name}_others PROPERTIES TIMEOUT 300)
  else()
    gtest_discover_tests(parcast_${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
