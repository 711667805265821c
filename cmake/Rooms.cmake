# For code that is large to compile and does little when it runs: the tests, which are half of all code, and the commands.
# It is not optimized much.
function(dryfit_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# The header that all tests are written with is read once for all. It has to be with -fPIE, as CMake compiles programs and not
# libraries: a precompiled header is good for one of the two.
if(DRYFIT_BUILD_TESTS)
  add_library(dryfit_test_header OBJECT ${CMAKE_CURRENT_LIST_DIR}/test_header.cpp)
  set_target_properties(dryfit_test_header PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(dryfit_test_header PRIVATE -fPIE)
  target_link_libraries(dryfit_test_header PRIVATE GTest::gtest)
  target_precompile_headers(dryfit_test_header PRIVATE <gtest/gtest.h>)
  dryfit_compile_quickly(dryfit_test_header)
endif()
function(dryfit_test_program target)
  target_precompile_headers(${target} REUSE_FROM dryfit_test_header)
  dryfit_compile_quickly(${target})
endfunction()

# A fuzzer out of <room>'s <source>_fuzz.cpp: built with clang alone, by the target `fuzzers`, and run by tools/setup/fuzz.sh.
#
#   dryfit_fuzzer(trace reader)
if(DRYFIT_BUILD_FUZZERS)
  add_custom_target(fuzzers)
endif()
function(dryfit_fuzzer room source)
  if(DRYFIT_BUILD_FUZZERS)
    set(name ${room}_${source}_fuzz)
    add_executable(${name} EXCLUDE_FROM_ALL ${source}_fuzz.cpp)
    target_link_libraries(${name} PRIVATE dryfit_${room} ${ARGN})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  endif()
endfunction()

# A room is a folder under src/: a static library of its .cpp files, and one test program of its *_test.cpp files.
#
#   dryfit_room(trace USES base LINKS zstd)
#
# QUICK: what it does is done once a command and has no long loops, so it is compiled as tests and commands are.
# USES names rooms further up in src/CMakeLists.txt; tools/check_includes checks that the includes agree.
function(dryfit_room name)
  cmake_parse_arguments(ROOM "QUICK" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|_fuzz\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  add_library(dryfit_${name} STATIC ${sources})
  target_include_directories(dryfit_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  list(TRANSFORM ROOM_USES PREPEND dryfit_)
  target_link_libraries(dryfit_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_LINKS})
  if(ROOM_QUICK)
    dryfit_compile_quickly(dryfit_${name})
  endif()
  if(DRYFIT_BUILD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE dryfit_${name} ${ROOM_LINKS} GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE DRYFIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    dryfit_test_program(${name}_test)
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 120 PROPERTIES LABELS fast)
  endif()
endfunction()
