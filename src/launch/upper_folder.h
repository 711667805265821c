// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

namespace dryfit::launch {

/// A folder of the user and where its changes go.
struct CoveredFolder {
  std::filesystem::path folder;
  std::filesystem::path changes;
};

/// Makes an existing folder of changes look like the user's folder: owner, permissions, times. One that the user could
/// not write to must not become writable because the folder of changes is theirs.
Status imitate(const std::filesystem::path& folder, const std::filesystem::path& changes);

/// Note [Foreign folders]
///
/// Before something in a folder changes, overlayfs creates that folder among the changes. In a user namespace it cannot
/// if the folder belongs to another user or group, whom the namespace does not know; the program gets EOVERFLOW. So we
/// create such folders beforehand, from outside, where the program is likely to write: on the way to `target`, and, if
/// `below` is set, in it and in its foreign folders (at most 2048 entries). Small files of others there are copied; a
/// larger one cannot be changed.
void prepare_foreign_folders(const CoveredFolder& covered, const std::filesystem::path& target, bool below);

}  // namespace dryfit::launch
