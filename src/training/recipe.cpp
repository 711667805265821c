// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/recipe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace dryfit::training {
namespace {

struct Range {
  const char* name;
  double value;
  double low;
  double high;
};

std::vector<Range> ranges_of(const Recipe& recipe) {
  return {{"epochs", static_cast<double>(recipe.epochs), 1, 1e5},
          {"batch", static_cast<double>(recipe.batch), 1, 1e6},
          {"learning rate", recipe.learning_rate, 1e-9, 10},
          {"warm-up", recipe.warm_up, 0, 1},
          {"last rate", recipe.last_rate, 0, 1},
          {"weight decay", recipe.weight_decay, 0, 10},
          {"clip", recipe.clip, 1e-9, 1e9},
          {"average", recipe.average, 0, 0.999999},
          {"Huber delta", recipe.huber_delta, 1e-9, 1e9},
          {"share of the squared error", recipe.squared_share, 0, 1e6},
          {"patience", static_cast<double>(recipe.patience), 0, 1e5},
          {"validation share", recipe.validation_share, 1e-3, 0.9}};
}

}  // namespace

Recipe sequence_recipe() { return {}; }

Recipe flat_recipe() { return {.weight_decay = 0.03, .squared_share = 0.3}; }

Recipe harvest_recipe() { return {.epochs = 40, .batch = 128, .squared_share = 0}; }

Status check(const Recipe& recipe) {
  for (const auto& range : ranges_of(recipe)) {
    if (range.value >= range.low && range.value <= range.high) continue;
    return Error{"the recipe's " + std::string(range.name) + " is " + std::to_string(range.value), ""};
  }
  return {};
}

std::string to_text(const Recipe& recipe) {
  std::string text;
  for (const auto& range : ranges_of(recipe)) {
    char number[32];
    std::snprintf(number, sizeof number, "%g", range.value);
    text += (text.empty() ? "" : ", ") + std::string(range.name) + " " + number;
  }
  return text;
}

double learning_rate_at(const Recipe& recipe, std::size_t step, std::size_t steps) {
  const double warm = std::ceil(recipe.warm_up * static_cast<double>(steps));
  const double place = static_cast<double>(step);
  if (place < warm) return recipe.learning_rate * (place + 1) / warm;
  const double rest = std::max(1.0, static_cast<double>(steps) - 1 - warm);
  const double progress = std::min(1.0, (place - warm) / rest);
  const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * progress));
  return recipe.learning_rate * (recipe.last_rate + (1 - recipe.last_rate) * cosine);
}

double average_at(const Recipe& recipe, std::size_t step) {
  const double place = static_cast<double>(step);
  return std::min(recipe.average, (1 + place) / (10 + place));
}

}  // namespace dryfit::training
