// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/temporary_folder.h"

namespace dryfit::meter::testing {

/// Sets what the tests' NVML reports, in the format that testing/nvml.cpp describes, while this lives.
class FakeNvml {
 public:
  explicit FakeNvml(const std::string& text) {
    write(text);
    ::setenv("DRYFIT_TESTING_NVML", file_.c_str(), 1);
  }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;
  ~FakeNvml() { ::unsetenv("DRYFIT_TESTING_NVML"); }

  void write(const std::string& text) const {
    const auto next = file_.string() + ".next";
    std::ofstream(next) << text;
    std::filesystem::rename(next, file_);
  }

  /// Waits until it has reported that line, "PID BYTES", to someone. False: nobody asked, for minutes.
  bool is_seen(const std::string& wanted) const {
    const auto hanging = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (std::chrono::steady_clock::now() < hanging) {
      std::ifstream seen(file_.string() + ".seen");
      for (std::string line; std::getline(seen, line);) {
        if (line == wanted) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

 private:
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "nvml.txt";
};

}  // namespace dryfit::meter::testing
