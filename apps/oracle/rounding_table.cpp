// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "rounding_table.h"

#include "simulator/caching_allocator.h"
#include "text_file.h"

namespace dryfit::oracle {
namespace {

struct Row {
  std::string_view version, conf, request, rounded, reserved;
};

/// The row that the simulator would write.
Row answer_of(const Row& row, std::string& rounded, std::string& reserved) {
  rounded = reserved = "-";
  Row got = row;
  const auto version = simulator::parse_torch_version(row.version);
  const auto config = version ? simulator::parse_alloc_config(row.conf, *version) : version.error();
  const auto request = to_number(row.request);
  if (config && request) {
    simulator::CachingAllocator allocator({.version = *version, .config = *config});
    allocator.malloc(Bytes{*request});
    rounded = std::to_string(allocator.statistics().all.allocated_bytes.current());
    reserved = std::to_string(allocator.statistics().all.reserved_bytes.current());
  }
  got.rounded = rounded;
  got.reserved = reserved;
  return got;
}

void compare(const Row& row, std::uint64_t line, Comparison& comparison) {
  std::string rounded;
  std::string reserved;
  const Row got = answer_of(row, rounded, reserved);
  if (got.rounded != row.rounded) comparison.add({line, "rounded", std::string(row.rounded), rounded});
  if (got.reserved != row.reserved) comparison.add({line, "reserved", std::string(row.reserved), reserved});
  comparison.count_operation();
}

}  // namespace

Result<Comparison> compare_rounding_table(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return text.error();
  Comparison comparison;
  std::uint64_t line = 0;
  for (const std::string_view row : lines_of(*text)) {
    ++line;
    const auto parts = split(row, '\t');
    if (row.starts_with('#') || parts[0] == "version") continue;
    if (parts.size() != 5) return Error{path + ": line " + std::to_string(line) + " doesn't have five columns", ""};
    compare({parts[0], parts[1], parts[2], parts[3], parts[4]}, line, comparison);
  }
  return comparison;
}

}  // namespace dryfit::oracle
