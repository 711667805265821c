// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "recorded_addresses.h"

#include <fstream>
#include <sstream>
#include <string>

namespace dryfit::cli {
namespace {

constexpr std::uint64_t kPage = 2 << 20;

bool read_segment(const std::string& line, RecordedSegment& segment) {
  std::istringstream words(line);
  std::string rest;
  if (!(words >> segment.size.count >> std::hex >> segment.address) || words >> rest) return false;
  return segment.size.count > 0 && segment.size.count % kPage == 0 && segment.address % kPage == 0;
}

}  // namespace

Result<std::vector<RecordedSegment>> read_recorded_segments(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input)
    return Error{"cannot read '" + file.string() + "'",
                 "Pass a readable file of segments: --address-order recorded:FILE."};
  std::vector<RecordedSegment> segments;
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    RecordedSegment segment;
    if (!read_segment(line, segment)) {
      return Error{file.string() + ":" + std::to_string(number) + ": '" + line + "' is not a segment",
                   "Each line must have a size in bytes and an address in hexadecimal, both multiples of 2 MiB."};
    }
    segments.push_back(segment);
  }
  return segments;
}

}  // namespace dryfit::cli
