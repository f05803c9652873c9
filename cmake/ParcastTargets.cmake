# SPDX-License-Identifier: Apache-2.0
# One folder of src/ is one library with its tests beside it:
#
#   parcast_library(symbolic
#     SOURCES expression.cpp parse.cpp
#     DEPENDS base                  # other folders, exactly what tools/layers.txt allows
#     PRIVATE_LIBS Eigen3::Eigen    # third parties, seen by no one else
#     TESTS expression_test.cpp
#     TEST_LIBS rapidcheck)

find_program(PARCAST_CCACHE ccache)
if(PARCAST_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${PARCAST_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PARCAST_CCACHE})
endif()

function(parcast_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
    $<$<BOOL:${PARCAST_WERROR}>:-Werror>)
  # GCC 12 warns of std::string concatenations that are in order (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  # Results are the same bytes whatever the flags: no contraction of a*b+c.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(PARCAST_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PARCAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(${target} PRIVATE -fsanitize=${PARCAST_SANITIZE})
  endif()
  if(PARCAST_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

function(parcast_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS;PUBLIC_LIBS;PRIVATE_LIBS;TESTS;TEST_LIBS" ${ARGN})
  add_library(parcast_${name} STATIC ${A_SOURCES})
  parcast_compile_options(parcast_${name})
  target_include_directories(parcast_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM A_DEPENDS PREPEND parcast_)
  target_link_libraries(parcast_${name} PUBLIC ${A_DEPENDS} ${A_PUBLIC_LIBS} PRIVATE ${A_PRIVATE_LIBS})
  if(PARCAST_TESTS AND A_TESTS)
    parcast_test(${name}_test SOURCES ${A_TESTS} LIBS parcast_${name} ${A_TEST_LIBS})
  endif()
endfunction()

# A GoogleTest executable; its cases are registered one by one with ctest, or with ALONE as one test beside which none runs.
function(parcast_test name)
  cmake_parse_arguments(A "ALONE" "" "SOURCES;LIBS" ${ARGN})
  add_executable(parcast_${name} ${A_SOURCES})
  parcast_compile_options(parcast_${name})
  # An assertion behind an if without braces reads well, and its macro is written for it.
  target_compile_options(parcast_${name} PRIVATE -Wno-dangling-else)
  target_link_libraries(parcast_${name} PRIVATE ${A_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(parcast_${name} PRIVATE PARCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PARCAST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(A_ALONE)
    add_test(NAME ${name} COMMAND parcast_${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 RUN_SERIAL ON)
  else()
    gtest_discover_tests(parcast_${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
