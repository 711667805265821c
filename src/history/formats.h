// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// What a file can be that tells what a job used.
enum class Format {
  torch_statistics,
  torch_snapshot,
  nvidia_smi,
  sacct,
  prometheus,
  report,   ///< of `dryfit run --json`
  harvest,  ///< of `dryfit harvest`
  history,  ///< of `dryfit history export`
};

/// "torch-stats", "snapshot", "nvidia-smi", "sacct", "prometheus", "dryfit-run", "harvest", "history".
std::string_view to_text(Format format);
Result<Format> parse_format(std::string_view text);

/// By its content. An Error that names those there are.
Result<Format> recognise(std::string_view content);

/// Reads a file's content. `kind` matters to PyTorch's statistics only. An Error says where the content is not of that
/// format; then there is no record at all.
Result<Imported> import_content(std::string_view content, Format format, PeakKind kind = PeakKind::reserved);

}  // namespace dryfit::history
