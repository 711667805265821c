// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dryfit::launch {

/// Removes a folder and what is in it, folders without permissions included; links are not followed. Neither allocates
/// nor locks, so that a fork of a process with threads can call it.
void remove_tree(const char* path);

}  // namespace dryfit::launch
