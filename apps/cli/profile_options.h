// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace dryfit::cli {

/// The options of `dryfit profile`.
struct ProfileOptions {
  std::optional<std::uint64_t> steps = 3;  ///< nullopt: all
  std::vector<std::uint64_t> batches;      ///< to profile at, rising; empty: once, at the program's own batch
  std::optional<std::chrono::milliseconds> timeout;
  std::filesystem::path output = "trace.json.gz";
  bool json = false;
  bool keep_writes = false;  ///< let the program write to the user's files
  std::vector<std::string> command;
};

/// The same as typed: texts that CLI11 fills in.
struct TypedProfileOptions {
  std::string steps = "3";
  std::string shrink;
  std::string timeout;
  std::string output = "trace.json.gz";
  bool json = false;
  bool keep_writes = false;

  void declare(CLI::App& app);

  /// Parses the texts; an Error says what is wrong with one, or that there is no command.
  Result<ProfileOptions> parse(std::vector<std::string> command) const;
};

/// "batch=4,8": two or more batches, each once, rising.
Result<std::vector<std::uint64_t>> parse_shrink(const std::string& text);

/// The command for one batch: "{batch}" in any word becomes the number.
std::vector<std::string> command_for(const std::vector<std::string>& command, std::uint64_t batch);

/// "trace.json.gz" is "trace.batch-4.json.gz" for a batch of 4.
std::filesystem::path output_for(const std::filesystem::path& output, std::uint64_t batch);

}  // namespace dryfit::cli
