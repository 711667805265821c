// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "resources.h"

namespace dryfit::cli {

/// Where an installation keeps learned models and the catalogue of models, beside its cards; it may not exist.
std::filesystem::path models_folder(const Resources& resources);

/// The catalogue's name there.
constexpr const char* kModelCatalogue = "models.jsonl";

/// The name there of the model that tells step times.
constexpr const char* kComputeModel = "compute.dryfit-model";

/// The one file of the folder, beside kComputeModel, that ends in ".dryfit-model". An Error that says what to do when
/// there is none, or when there are several.
Result<std::filesystem::path> default_model_file(const std::filesystem::path& folder);

/// All of a file that is one JSON object, over however many lines; nothing when it is something else, or more than a
/// mebibyte.
std::optional<std::string> single_description(const std::filesystem::path& file);

}  // namespace dryfit::cli
