// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/environment.h"
#include "launch/layer_plan.h"
#include "launch/scratch_folder.h"
#include "launch/writes.h"

namespace dryfit::launch {

/// Note [Write layer]
///
/// A dry run must not change the user's files: the weights in a checkpoint were never trained. So the program and all
/// that it starts see a file system of their own. It begins as the real one. What they write there they can read back,
/// and it is gone when they are.
///
///     what the program sees      /home/me/ckpt.pt      new
///     scratch folder (changes)   …/0/changes/me/ckpt.pt
///     the user's folder          /home/me/ckpt.pt      never written to
///
/// It is made of overlays (overlayfs) in a mount namespace of the program's own. A process that may mount gets one
/// overlay per mount, any other a user namespace and one overlay per folder (launch/layer_plan.h).
///
/// - The plan is made before the fork, because it needs memory. The child only follows its steps, before exec
///   (launch/layer_steps.h). If a step fails, the keeper starts another child, without a layer, and Writes::why_not
///   says that the user's files were not protected.
/// - The run's own folder, and where models are downloaded to, stay real. Open descriptors do, too.
/// - The keeper removes the scratch folder when the last process has ended and we have counted, or are gone. If the
///   keeper was killed, we remove it; if both were, the next run does.
/// - /dev, /proc, /run and /sys are not covered. Sockets that others listen on in a covered folder can't be reached.

/// What a program writes into. Not thread-safe.
class WriteLayer {
 public:
  /// For this command with this environment, in our working directory; the run directory stays real. If no layer can be
  /// prepared, there are no steps, and the reason is kept for writes().
  WriteLayer(const std::vector<std::string>& command, const Environment& environment,
             const std::filesystem::path& run_directory);

  /// For the program's process; empty if there can be no layer.
  std::span<const LayerStep> steps() const { return plan_.steps; }
  /// The folder to remove in the end; empty if there is none.
  const char* scratch() const { return scratch_ ? scratch_->path().c_str() : ""; }

  /// What became of the steps.
  void take(const LayerNews& news);

  /// What the program has written so far.
  Writes writes() const;

 private:
  std::optional<ScratchFolder> scratch_;
  LayerPlan plan_;
  std::string why_not_;  ///< empty while the layer holds
  std::vector<std::filesystem::path> frozen_;
};

/// Where downloaded models are kept, as far as these folders exist: what a dry run downloads is as good as what a real
/// one does.
std::vector<std::filesystem::path> download_folders(const Environment& environment);

}  // namespace dryfit::launch
