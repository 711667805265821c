// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_folder.h"

namespace dryfit::meter::testing {

/// What the NVML of the tests tells, as testing/nvml.cpp describes it, while this lives.
class ToldByNvml {
 public:
  explicit ToldByNvml(const std::string& text) {
    write(text);
    ::setenv("DRYFIT_TESTING_NVML", file_.c_str(), 1);
  }
  ToldByNvml(const ToldByNvml&) = delete;
  ToldByNvml& operator=(const ToldByNvml&) = delete;
  ~ToldByNvml() { ::unsetenv("DRYFIT_TESTING_NVML"); }

  void write(const std::string& text) const {
    const auto next = file_.string() + ".next";
    std::ofstream(next) << text;
    std::filesystem::rename(next, file_);
  }

 private:
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "told.txt";
};

}  // namespace dryfit::meter::testing
