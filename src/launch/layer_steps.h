// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace dryfit::launch {

/// One step of a process into a write layer (Note [Write layer] in launch/write_layer.h). Unused texts are empty.
struct LayerStep {
  enum class Kind : std::int32_t {
    own_mounts,     ///< a mount namespace
    own_user,       ///< a user and a mount namespace; from: the user map, options: the group map
    part_mounts,    ///< what is mounted from now on is seen in this namespace only
    empty_folder,   ///< an empty, read-only tmpfs at `at`
    open_kept,      ///< remember the folder `from`, which is about to be covered …
    restore_kept,   ///< … and put it at `at`; in the order in which they were opened
    cover,          ///< an overlay over `from`, seen at `at`, with these options
    cover_through,  ///< the same by way of `through`: for a folder in which the layer itself is
    bind,           ///< what is at `from`, with all that is mounted below it, at `at`
    freeze,         ///< writes to the mount `at` are refused
    freeze_folder,  ///< the same for a folder that is not a mount
    change_root,    ///< `at` becomes the root
    change_folder,  ///< `at` becomes the working directory
  };
  Kind kind;
  std::string at;
  std::string from;
  std::string options;
  std::string through;          ///< an empty folder for a view of `from`
  std::string empty;            ///< a folder that empty_folder has made
  bool freeze_instead = false;  ///< if it cannot be covered, writes to it are refused
};

/// What became of the steps.
struct LayerNews {
  enum class Kind : std::int32_t {
    frozen,  ///< a folder could not be covered, so writes to it are refused; the steps go on
    failed,  ///< there is no layer
  };
  Kind kind;
  std::int32_t step;  ///< its index
  std::int32_t error;
};

constexpr std::size_t kMostKept = 16;

/// Hears of what became of the steps.
struct LayerListener {
  void (*hear)(const LayerNews& news, int pipe);
  int pipe;
};

/// Takes the process through the steps. False: it is neither inside nor outside, and must end. Neither allocates nor
/// locks, and calls nothing but the kernel: it runs between fork and exec.
bool enter_layer(std::span<const LayerStep> steps, LayerListener listener);

}  // namespace dryfit::launch
