// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predictor/memory_model.h"

namespace dryfit::predictor {

/// The version that is written. Older versions are read, newer ones refused.
inline constexpr std::uint32_t kModelFileVersion = 1;

/// Note [Model file]
/// A MemoryModel as bytes: framed as all model files are (Note [Model frame]), of the kind "dryfitm\n".
///
/// The body is the MemoryModel member by member: a text is its length (u32) and its bytes; a list is its length (u32)
/// and its numbers (f64, of weights and edges f32); sizes are u32, feature sets one of 0 (plain) and 1 (layers). In
/// order: the card's six texts; the feature set; mean and scale of job and block scaler; bins and edges; the base's
/// weights and the offset; the shape's ten sizes as they are declared; the number of networks (u32) and a list for
/// each. The card comes first, so that `strings` shows it: "dryfitm", then "\x06\0\0\0sample" for a model named so.
///
/// The same model gives the same bytes.
std::string to_bytes(const MemoryModel& model);

/// An Error if the bytes are not a model, of a newer version, cut off or damaged. Errors call it `name`.
/// MemoryPredictor::of decides whether the parts belong together.
Result<MemoryModel> parse_memory_model(std::string_view bytes, const std::string& name);

/// The same from and to a file. An existing file is replaced atomically.
Result<MemoryModel> read_model(const std::filesystem::path& file);
Status write_model(const MemoryModel& model, const std::filesystem::path& file);

}  // namespace dryfit::predictor
