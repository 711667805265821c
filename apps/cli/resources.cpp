// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

namespace dryfit::cli {
namespace fs = std::filesystem;

Result<Resources> find_resources(const fs::path& executable) {
  const fs::path prefix = executable.parent_path().parent_path();
  Resources found{prefix / "lib/dryfit", prefix / "share/dryfit/hooks", prefix / "share/dryfit/cards",
                  prefix / "share/dryfit/convolutions"};
  std::error_code ignored;
  if (!fs::is_directory(found.hooks, ignored)) found.hooks = prefix / "hooks";
  for (const auto& folder : {found.driver, found.hooks, found.cards}) {
    if (fs::is_directory(folder, ignored)) continue;
    return Error{"this installation of Dryfit is incomplete: there is no folder '" + folder.string() + "'",
                 "Install Dryfit again."};
  }
  return found;
}

Result<Resources> find_resources() {
  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot find out where Dryfit is installed: " + error.message(), "Is /proc mounted?"};
  return find_resources(executable);
}

}  // namespace dryfit::cli
