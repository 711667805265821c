// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predictor/compute_model.h"

namespace dryfit::predictor {

/// The version that is written. Older versions are read, newer ones refused.
inline constexpr std::uint32_t kComputeModelFileVersion = 1;

/// Note [Compute model file]
/// A ComputeModel as bytes: framed as all model files are (Note [Model frame]), of the kind "dryfitc\n".
///
/// The body is the ComputeModel member by member: a text is its length (u32) and its bytes; a list is its length (u32)
/// and its numbers (f64; roots u32, nodes as f32, u16, u16); sizes are u32. In order: the card's six texts; the number
/// of settings and a text for each; the shift; the number of variants; of each variant its knowledge (0 operations, 1
/// layers), the base's weights, least and most correction, the number of sets of trees and for each its features, start,
/// roots and nodes, of the calibrations above and below the number of folds and a list for each, low and high of the
/// reach.
///
/// The same model gives the same bytes.
std::string to_bytes(const ComputeModel& model);

/// An Error if the bytes are not such a model, of a newer version, cut off or damaged. Errors call it `name`. check()
/// decides whether the parts belong together.
Result<ComputeModel> parse_compute_model(std::string_view bytes, const std::string& name);

/// The same from and to a file. An existing file is replaced atomically.
Result<ComputeModel> read_compute_model(const std::filesystem::path& file);
Status write_compute_model(const ComputeModel& model, const std::filesystem::path& file);

}  // namespace dryfit::predictor
