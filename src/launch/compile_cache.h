// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/bytes.h"
#include "card/machine.h"

namespace dryfit::launch {

/// What torch.compile has compiled in earlier runs, for runs on the same GPUs.
///
/// Note [Kept compilations]
/// A run with kept compilations must count the same bytes as one without. So only two kinds are kept:
///   - kernels that Triton has compiled (triton/<device>/<key>/). Compiling one allocates nothing on the GPU.
///   - graphs that Inductor has lowered (fxgraph/<xx>/<key>/), unless the hooks left a mark in the run: lowering a graph
///     allocated memory of the GPU, as a tuner does, or its sizes are symbols, so that the code depends on which size
///     came first.
/// Not kept is what an autotuner has chosen, so that each run tunes anew, nor what goes around passes that allocate
/// (AOTAutograd's cache). Both kinds are keyed by content, by the version of PyTorch or Triton, and by the GPU's name;
/// the GPU's other properties are in the name of the folder.
///
/// A run never writes to what is kept: it gets links to the files, and its new entries are copied when it has ended well.
/// An entry is a folder, and appears and disappears as a whole. Nothing here fails a run: at worst less is kept.
class CompileCache {
 public:
  static constexpr Bytes kMost{256ull << 20};

  /// For these GPUs, in `folder`, which all kinds of GPU share. Less than `most` is kept in it.
  CompileCache(const std::filesystem::path& folder, const Machine& machine, Bytes most = kMost);

  /// Puts links to everything that is kept into the empty or missing cache of a run.
  void lend(const std::filesystem::path& cache_of_run) const;

  /// Keeps what is new in the cache of a run, and deletes what was read longest ago while it is too much.
  void keep(const std::filesystem::path& cache_of_run, bool with_graphs) const;

 private:
  void keep_entry(const std::filesystem::path& cache_of_run, const std::filesystem::path& entry) const;
  void prune() const;

  std::filesystem::path all_;
  std::filesystem::path own_;
  Bytes most_;
};

}  // namespace dryfit::launch
