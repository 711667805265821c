// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/layer_steps.h"
#include "launch/mount_table.h"
#include "launch/upper_folder.h"

namespace dryfit::launch {

/// What a layer is planned from. All paths are absolute.
struct LayerGround {
  std::vector<MountPoint> mounts;
  std::filesystem::path scratch;  ///< an empty folder of ours; its path is free of the letters , : and backslash
  std::vector<std::filesystem::path> kept;  ///< folders that stay real, at most kMostKept
  std::filesystem::path working_directory;
  std::vector<std::filesystem::path> likely;  ///< other existing folders in which the program may write
};

/// How a process gets into a layer.
struct LayerPlan {
  std::vector<LayerStep> steps;
  std::vector<CoveredFolder> covered;
};

/// For a process that may mount: an overlay over every mount with files, put together below a new root. Creates folders
/// in the scratch folder; an Error says which it could not.
Result<LayerPlan> plan_with_privileges(const LayerGround& ground);

/// For any process, in a user namespace of its own. There, an overlay over a folder with mounts below it is refused. So
/// such a folder is entered, and what is in it is covered. Files directly in it can't be: if the user could write
/// there, it is frozen.
Result<LayerPlan> plan_without_privileges(const LayerGround& ground);

}  // namespace dryfit::launch
