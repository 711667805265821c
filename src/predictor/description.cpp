// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <tuple>
#include <utility>

namespace dryfit::predictor {
namespace {

constexpr std::array<std::pair<Optimizer, std::string_view>, 7> kOptimizers{{{Optimizer::sgd, "sgd"},
                                                                             {Optimizer::momentum, "momentum"},
                                                                             {Optimizer::adam, "adam"},
                                                                             {Optimizer::adamw, "adamw"},
                                                                             {Optimizer::rmsprop, "rmsprop"},
                                                                             {Optimizer::adagrad, "adagrad"},
                                                                             {Optimizer::adafactor, "adafactor"}}};

constexpr std::array<std::pair<Precision, std::string_view>, 4> kPrecisionNames{{{Precision::fp32, "fp32"},
                                                                                 {Precision::bf16_amp, "bf16-amp"},
                                                                                 {Precision::fp16_amp, "fp16-amp"},
                                                                                 {Precision::bf16, "bf16"}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return "";
}

template <class Names>
Result<typename Names::value_type::first_type> parse_in(const Names& names, std::string_view what,
                                                        std::string_view text) {
  std::string all;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return Error{"unknown " + std::string(what) + " '" + std::string(text) + "'", "Use one of: " + all + "."};
}

/// A number of a job, with its valid range. The upper ends are far beyond anything that was ever trained; they catch
/// typos.
struct Bounded {
  std::string_view name;
  double value;
  bool zero_allowed;
  double most;
};

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

Status check(const Bounded& number) {
  const auto& [name, value, zero_allowed, most] = number;
  const bool low = zero_allowed ? value < 0 : value <= 0;
  if (std::isfinite(value) && !low && value <= most) return {};
  return Error{"the job's '" + std::string(name) + "' is " + text_of(value),
               std::string("Give a number ") + (zero_allowed ? "from 0" : "above 0") + " to " + text_of(most) + "."};
}

template <class Numbers>
Status check_all(const Numbers& numbers) {
  for (const auto& number : numbers) {
    if (auto status = check(number); !status) return status;
  }
  return {};
}

auto kind_of(const Probe& probe) { return std::tuple(probe.precision, probe.checkpointing, probe.batch); }

Status check(const std::vector<Probe>& probes) {
  if (probes.size() > kMostProbes) {
    return Error{"the job has " + std::to_string(probes.size()) + " probes, more than " + std::to_string(kMostProbes),
                 "Two per precision are enough."};
  }
  for (const auto& probe : probes) {
    const std::array numbers{Bounded{"probes: batch", probe.batch, false, 1e7},
                             Bounded{"probes: reserved_bytes", probe.reserved_bytes, false, 1e15},
                             Bounded{"probes: forward_bytes", probe.forward_bytes, true, 1e15},
                             Bounded{"probes: compute_capability", probe.compute_capability, false, 100}};
    if (auto status = check_all(numbers); !status) return status;
  }
  const auto sorted = std::ranges::adjacent_find(probes, std::ranges::greater_equal(), kind_of) == probes.end();
  if (sorted) return {};
  return Error{"the job's 'probes' are out of order or contain a duplicate",
               "Sort them by precision (fp32, bf16-amp, fp16-amp, bf16), checkpointing and batch."};
}

}  // namespace

Status check(const JobDescription& job) {
  const auto& model = job.model;
  const std::array numbers{Bounded{"batch", job.batch, false, 1e7},
                           Bounded{"size", model.size, false, 1e7},
                           Bounded{"parameters", model.parameters, false, 1e14},
                           Bounded{"parameter_bytes", model.parameter_bytes, false, 1e15},
                           Bounded{"buffer_bytes", model.buffer_bytes, true, 1e15},
                           Bounded{"flops", model.flops, true, 1e21},
                           Bounded{"forward_bytes", model.forward_bytes, true, 1e15},
                           Bounded{"multiprocessors", job.multiprocessors, false, 1e4},
                           Bounded{"compute_capability", job.compute_capability, false, 100}};
  if (auto status = check_all(numbers); !status) return status;
  if (job.batch != std::floor(job.batch)) {
    return Error{"the job's 'batch' is " + text_of(job.batch), "Give a whole number."};
  }
  if (auto status = check(model.probes); !status) return status;
  return check(model.blocks);
}

std::string_view to_text(Optimizer optimizer) { return name_in(kOptimizers, optimizer); }

std::string_view to_text(Precision precision) { return name_in(kPrecisionNames, precision); }

Result<Optimizer> parse_optimizer(std::string_view text) { return parse_in(kOptimizers, "optimizer", text); }

Result<Precision> parse_precision(std::string_view text) { return parse_in(kPrecisionNames, "precision", text); }

}  // namespace dryfit::predictor
