# fmt, compiled once. Debian has it as headers, which compile all of it into every file that formats a number, and as a
# shared library, which would have to be carried along with the command.
find_package(fmt REQUIRED)
get_target_property(fmt_headers fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
add_library(dryfit_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
target_include_directories(dryfit_fmt SYSTEM PUBLIC ${fmt_headers})
