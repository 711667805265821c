// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "resources.h"

namespace dryfit::cli {

/// Where an installation keeps the learned models and the catalogue of models, beside its cards; it may not exist.
std::filesystem::path models_folder(const Resources& resources);

/// The file name of the catalogue.
constexpr const char* kModelCatalogue = "models.jsonl";

/// The file name of the model that predicts step times.
constexpr const char* kComputeModel = "compute.dryfit-model";

/// The only file in the folder, apart from kComputeModel, that ends in ".dryfit-model". An Error that says what to do
/// if there is none, or more than one.
Result<std::filesystem::path> default_model_file(const std::filesystem::path& folder);

/// The text of a file that holds a single JSON object, on any number of lines; nothing if it holds something else, or
/// is larger than 1 MiB.
std::optional<std::string> single_description(const std::filesystem::path& file);

}  // namespace dryfit::cli
