// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   simulator_differential_fuzz tests/fuzz/simulator_differential
#include "base/check.h"
#include "simulator/reference/differential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto difference = dryfit::simulator::first_difference({data, size});
  if (difference) std::fprintf(stderr, "%s\n", difference->c_str());
  DRYFIT_CHECK(!difference);
  return 0;
}
