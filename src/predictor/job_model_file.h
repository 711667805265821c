// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predictor/job_model.h"

namespace dryfit::predictor {

/// The version that is written. Older versions are read, newer ones refused.
inline constexpr std::uint32_t kJobModelFileVersion = 2;

/// Note [Job model file]
/// A JobModel as bytes: framed as all model files are (Note [Model frame]), of the kind "dryfitj\n".
///
/// The body is the JobModel member by member: a text is its length (u32) and its bytes; a list is its length (u32) and
/// its numbers (f64; weights f32, roots u32, nodes as f32, u16, u16); sizes are u32. In order: the card's six texts;
/// the number of variants; for each variant its knowledge (0 outline, 1 totals, 2 layers; since version 2: 3 probes),
/// the base's weights, offset, least and most correction, mean and scale of features and blocks, the shape's ten sizes
/// as they are declared, the number of networks and a list for each, the number of sets of trees and for each its
/// features, start, roots and nodes, the number of folds and a list for each, low and high of the reach.
///
/// The same model gives the same bytes.
std::string to_bytes(const JobModel& model);

/// An Error if the bytes are not such a model, of a newer version, cut off or damaged. Errors call it `name`. check()
/// decides whether the parts belong together.
Result<JobModel> parse_job_model(std::string_view bytes, const std::string& name);

/// The same from and to a file. An existing file is replaced atomically.
Result<JobModel> read_job_model(const std::filesystem::path& file);
Status write_job_model(const JobModel& model, const std::filesystem::path& file);

}  // namespace dryfit::predictor
