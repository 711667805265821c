// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

/// Note [Manifest]
/// A run that is kept is sealed: its folder, and the folder of each GPU below it, get a manifest.txt that lists the files
/// that later commands read, with their sizes and checksums (CRC-64, as in base/crc64.h):
///
///     dryfit-manifest 1
///     4213 995dc9bbdf1939fa history-29075.pickle
///     2311 0123456789abcdef machine.txt
///     98304 fedcba9876543210 trace-29075.dryfit
///     end 8899aabbccddeeff            (the checksum of the lines above)
///
/// So whoever reads the run later knows that it is whole. A folder without a manifest is of an older version, or of a
/// run that was killed before it was sealed: of it can be checked only what its files show by themselves.
namespace dryfit::cli {

/// Whether later commands read a file of this name: traces, histories, marks, machine.txt, verdict.json.
bool belongs_to_run(const std::filesystem::path& file);

/// Whether a run that is copied needs it: what belongs to it, and its manifest.
bool is_kept_file(const std::filesystem::path& file);

/// Writes the manifests of a run that is complete; the traces in it change no more.
Status seal_run(const std::filesystem::path& folder);

/// Whether everything in the folder of a run on one GPU, and in the run's own folder above it, is as it was when the run
/// was sealed. Also finds a machine.txt or verdict.json that makes no sense where there is no manifest. The Error names
/// the file, and is a damage (Error::is_damage).
Status check_intact(const std::filesystem::path& folder);

/// The same for a run as a whole: its folder, and that of each GPU below it. For a file on which everything depends and
/// that may be missing.
Status check_run(const std::filesystem::path& folder);

}  // namespace dryfit::cli
