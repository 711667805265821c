// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "card/machine.h"
#include "memory_limits.h"

namespace dryfit::cli {

/// The options of `dryfit run`.
struct RunOptions {
  std::vector<std::string> gpus;
  std::vector<std::filesystem::path> cards;  ///< card files, or folders of them, beyond the catalogue
  int count = 1;                             ///< cards of that kind in the machine
  std::optional<std::uint64_t> steps = 3;    ///< nullopt: all
  std::optional<std::uint64_t> most_steps;   ///< go on up to this many while the peak grows
  std::string until_text;                    ///< end when the program prints this; empty: no such text
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> stall_patience;  ///< nullopt: wait for ever
  bool keep_initialisation = false;
  bool keep_writes = false;  ///< let the program write to the user's files
  bool memory_history = true;
  bool explain = true;
  std::string unknown_sizes = "full";  ///< full, none or fraction:x
  bool count_flops = false;
  bool fresh_compile = false;                                        ///< use nothing that earlier runs have compiled
  MemoryLimits limits;                                               ///< of PyTorch's allocator, and of the job
  std::vector<AddressOrder> address_orders = {AddressOrder::chunk};  ///< each is run; the first is the likeliest
  std::vector<RecordedSegment> recorded_segments;                    ///< for the order `recorded`
  bool address_order_given = false;  ///< false: the default, and nothing is known about the platform
  bool strict = false;               ///< a tight fit is treated as a failure
  std::filesystem::path save;        ///< empty: keep nothing
  std::filesystem::path output;      ///< empty: no file
  bool json = false;
  std::size_t jobs = 1;
  std::vector<std::string> command;
};

/// The same as typed: texts that CLI11 fills in.
struct TypedRunOptions {
  RunOptions options;
  std::string steps;
  std::string until;
  std::string timeout;
  std::string stall_timeout = "60s";
  std::string address_order;
  bool all_orders = false;
  bool no_history = false;
  bool no_explain = false;
  TypedMemoryLimits limits;

  void declare(CLI::App& app);
  /// Parts of it, for commands with fewer options. How long the program runs, and what is left out of it.
  void declare_extent(CLI::App& app);
  void declare_jobs(CLI::App& app);

  /// Parses the texts; an Error says what is wrong with one, or that there is no command or GPU.
  Result<RunOptions> parse(std::vector<std::string> command) const;
};

}  // namespace dryfit::cli
