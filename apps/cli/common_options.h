// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// What several commands have in common on their command line.
namespace dryfit::cli {

/// Groups of commands in `dryfit --help`.
inline constexpr const char* kAsk = "Ask";
inline constexpr const char* kLook = "Look";
inline constexpr const char* kLists = "Lists";
inline constexpr const char* kSite = "Your site";
inline constexpr const char* kData = "Make data";

/// The RUN of the commands about a kept run.
inline constexpr const char* kRunText =
    "Folder kept by `dryfit run --save`; last, last~1, …; or a memory snapshot (pickle)";

/// A whole number in these bounds, for CLI::Option::check().
CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest);

/// --gpu: one name, or a list with commas; the option may be repeated.
CLI::Option* add_gpus_option(CLI::App& command, std::vector<std::string>& gpus, const std::string& description);

/// --gpu-file, and its older name --cards.
void add_gpu_file_option(CLI::App& command, std::vector<std::filesystem::path>& files);

}  // namespace dryfit::cli
