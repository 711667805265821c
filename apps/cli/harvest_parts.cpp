// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_parts.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace dryfit::cli {

namespace fs = std::filesystem;

Result<std::size_t> HarvestParts::collect_into(HarvestFile& file) {
  std::vector<fs::path> parts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("part-") && name.ends_with(".jsonl")) parts.push_back(entry.path());
  }
  std::ranges::sort(parts);
  std::size_t added = 0;
  for (const auto& part : parts) {
    const auto more = collect(part, file);
    if (!more) return more.error();
    added += *more;
  }
  return added;
}

Result<std::size_t> HarvestParts::collect(const fs::path& part, HarvestFile& file) {
  std::ifstream input(part, std::ios::binary);
  auto& position = read_[part];
  input.seekg(position);
  std::size_t added = 0;
  for (std::string line; std::getline(input, line) && !input.eof();) {
    const auto key = key_in(line);
    if (key.empty()) {
      return Error{part.string() + ": not a row written by dryfit harvest at byte " + std::to_string(position),
                   "Remove the line or the file; its jobs then run again."};
    }
    if (!file.contains(key)) {
      if (const auto status = file.append(key, line); !status) return status.error();
      ++added;
    }
    position += static_cast<std::streamoff>(line.size() + 1);
  }
  return added;
}

}  // namespace dryfit::cli
