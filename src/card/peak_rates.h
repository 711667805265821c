// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "card/card.h"

namespace dryfit {

/// What a card computes and moves in a second at most. A multiplication and an addition are two operations; sums are
/// kept in fp32, as PyTorch's are; sparsity is not counted.
struct PeakRates {
  double fp32_flops = 0;  ///< outside of tensor cores
  double tf32_flops = 0;  ///< fp32's where no tensor core does it; so are the next two
  double fp16_flops = 0;
  double bf16_flops = 0;
  double bytes = 0;  ///< to and from its memory
};

/// Note [Peak rates]
/// Multiprocessors times clock times the operations that a multiprocessor of that compute capability does in a clock,
/// by NVIDIA's architecture whitepapers:
///
///   capability    fp32  tf32  fp16  bf16
///   7.0            128     -  1024     -
///   7.5            128     -  1024     -
///   8.0            128  1024  2048  2048
///   8.6, 8.9       256   512  1024  1024
///   9.0            256  2048  4096  4096
///   10.0           256  4096  8192  8192
///   12.0           256   512  1024  1024
///
/// GeForce cards, the L40 and the A10G do half of that in their tensor cores where sums are kept in fp32. An H100 does
/// not hold its largest clock in them: the datasheets' 989 TFLOPS (SXM) and 756 (PCIe) are both 0.924 of what it would
/// give, which is taken for all of 9.0.
///
/// Memory moves two transfers a clock over the width of its bus.
///
/// An Error when the card's compute capability is none of these, or it has no clock, multiprocessors or bus.
Result<PeakRates> peak_rates_of(const Card& card);

}  // namespace dryfit
