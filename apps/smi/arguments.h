// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dryfit::smi {

enum class Form { table, list, details, gpus, processes, topology, help };

struct Arguments {
  Form form = Form::table;
  std::vector<std::string> fields;  ///< of --query-gpu and --query-compute-apps
  bool header = true;
  bool units = true;
  std::string only;                ///< -i: an index, a UUID or a bus id; empty: all GPUs
  std::optional<double> interval;  ///< -l: seconds between rounds
};

/// nullopt: options that nvidia-smi does not have, or that this one does not know.
std::optional<Arguments> parse(std::span<const std::string> words);

}  // namespace dryfit::smi
