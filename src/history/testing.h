// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "history/record.h"

namespace dryfit::history::testing {

/// A record of which everything is known.
inline Record full_record(const std::string& job_id = "4711") {
  using namespace literals;
  return {.job_id = job_id,
          .host = "g1",
          .source = "torch",
          .when = 1793612100,
          .name = "nightly",
          .job = R"({"batch":64,"model":"resnet50"})",
          .card = "rtx-4090-24gb",
          .kind = PeakKind::reserved,
          .peak = 11_GiB,
          .outcome = Outcome::ok,
          .step_seconds = 0.25,
          .tflops = 38.5,
          .predicted = PastPrediction{10_GiB, 12_GiB, 0.95, PeakKind::reserved, "surrogate.dryfit-model"},
          .software = {{"cuda", "12.4"}, {"torch", "2.6.0"}}};
}

/// A folder of a test's own, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "dryfit-history-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace dryfit::history::testing
