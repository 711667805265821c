// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "predictor/description.h"

namespace dryfit::predictor {

/// Note [Probes]
/// The memory that a job reserves is nearly linear in its batch, with a slope and an offset that depend on the model:
/// how much is recomputed, copied by autocast or lost between blocks of the allocator is hard to derive from layers,
/// and easy to get from two dry runs. A model's probes are such runs with plain SGD, a small batch and a larger one in
/// every precision, with and without checkpointing. A job uses the probes of its own kind: the same precision (both
/// kinds of autocast count as one) and the same checkpointing.
///
/// For a batch b and probes at b1 < b2 that reserved R1 and R2, PyTorch reserves with SGD
///
///   R(b) = max(R1 + (R2 - R1) / (b2 - b1) * (b - b1),  S + f * b)
///
/// where S is parameters and buffers, and f is what the forward pass adds per sample: probes with their peak in the
/// optimizer's step give no better slope. With a single probe, the line goes through S at a batch of 0. An optimizer
/// adds its state, and its step can be the peak. cuBLAS's workspace in PyTorch is 32 MiB on compute capability 9.0 and
/// above, and 8 MiB below; we correct for the difference if probe and job are on different sides of that limit.

/// Bytes of parameters and buffers in that precision.
double stays_bytes(const ModelDescription& model, Precision precision);

/// The probes of the job's own kind, smaller batches first; may be empty.
std::span<const Probe> probes_of(const JobDescription& job);

/// R(b). The job must have such probes.
double probed_reserved_bytes(const JobDescription& job);

inline constexpr std::size_t kProbeFeatures = 6;

/// Features that show how far the line can be trusted: logarithms of the job's batch over the probes', and shares of
/// R(b).
std::array<double, kProbeFeatures> probe_features_of(const JobDescription& job);
inline constexpr std::array<std::string_view, kProbeFeatures> kProbeFeatureNames{
    "log batch by smallest probe's", "log batch by largest probe's", "slope by reserved",
    "forward by reserved",           "what stays by reserved",       "largest probe by what it keeps"};

}  // namespace dryfit::predictor
