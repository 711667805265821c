// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/temporary_folder.h"
#include "history/record.h"

namespace dryfit::history::testing {

/// A record with every field set.
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

}  // namespace dryfit::history::testing
