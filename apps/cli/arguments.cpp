// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>

namespace dryfit::cli {

Arguments split_arguments(int argc, const char* const* argv) {
  const std::vector<std::string> all(argv + std::min(argc, 1), argv + argc);
  const auto dashes = std::ranges::find(all, "--");
  Arguments result;
  if (argc > 0) result.called = argv[0];
  result.ours.assign(all.begin(), dashes);
  result.dashes = dashes != all.end();
  if (result.dashes) result.after.assign(dashes + 1, all.end());
  return result;
}

std::vector<std::string> joined_command(std::vector<std::string> plain, const Arguments& arguments) {
  if (!plain.empty() && arguments.dashes) plain.push_back("--");
  plain.insert(plain.end(), arguments.after.begin(), arguments.after.end());
  return plain;
}

}  // namespace dryfit::cli
