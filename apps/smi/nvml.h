// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvml.h>

#include <optional>
#include <string>
#include <type_traits>

namespace dryfit::smi {

/// The NVML library that the process finds, as any program does. Functions are looked up by name, without its header's
/// versions.
class Nvml {
 public:
  /// Loads and initialises the library; false if it has no GPUs to report on.
  bool open();

  /// Calls a function of NVML whose last argument receives the answer; nullopt if it does not answer.
  template <class Answer, class... Arguments>
  std::optional<Answer> ask(const char* function, Arguments... arguments) const {
    using Function = nvmlReturn_t (*)(Arguments..., Answer*);
    const auto call = reinterpret_cast<Function>(find(function));
    Answer answer{};
    if (!call || call(arguments..., &answer) != NVML_SUCCESS) return std::nullopt;
    return answer;
  }

  /// The same for functions that fill in a text.
  template <class... Arguments>
  std::string text(const char* function, Arguments... arguments) const {
    using Function = nvmlReturn_t (*)(Arguments..., char*, unsigned);
    const auto call = reinterpret_cast<Function>(find(function));
    char answer[128] = {};
    if (!call || call(arguments..., answer, sizeof answer) != NVML_SUCCESS) return "";
    return answer;
  }

 private:
  void* find(const char* function) const;

  void* library_ = nullptr;
};

}  // namespace dryfit::smi
