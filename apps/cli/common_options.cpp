// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "common_options.h"

#include <fmt/format.h>

#include <charconv>

namespace dryfit::cli {

CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest) {
  return {[=](const std::string& text) -> std::string {
            std::int64_t number = 0;
            const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool is_whole = code == std::errc() && end == text.data() + text.size();
            if (is_whole && number >= lowest && number <= highest) return "";
            return fmt::format("'{}' is not a whole number from {} to {}", text, lowest, highest);
          },
          ""};
}

CLI::Option* add_gpus_option(CLI::App& command, std::vector<std::string>& gpus, const std::string& description) {
  return command.add_option("--gpu", gpus, description)
      ->type_name("NAME")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void add_gpu_file_option(CLI::App& command, std::vector<std::filesystem::path>& files) {
  command.add_option("--gpu-file,--cards", files, "GPU file of your own, or a folder of them (repeatable)")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace dryfit::cli
