// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The formats of files that show what a job used.
enum class Format {
  torch_statistics,
  torch_snapshot,
  nvidia_smi,
  sacct,
  prometheus,
  report,   ///< from `dryfit run --json`
  harvest,  ///< from `dryfit harvest`
  history,  ///< from `dryfit history export`
};

/// "torch-stats", "snapshot", "nvidia-smi", "sacct", "prometheus", "dryfit-run", "harvest", "history".
std::string_view to_text(Format format);
Result<Format> parse_format(std::string_view text);

/// Detects the format from the content. Otherwise an Error that lists the known formats.
Result<Format> recognise(std::string_view content);

/// Reads a file's content. `kind` matters for PyTorch's statistics only. An Error says where the content does not match
/// the format; then no record is imported at all.
Result<Imported> import_content(std::string_view content, Format format, PeakKind kind = PeakKind::reserved);

}  // namespace dryfit::history
