// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.h"

namespace dryfit::explain {
namespace {

struct Texts {
  std::string_view stable, words;
};

constexpr std::array<Texts, kCategories> kTexts{{{"parameters", "parameters"},
                                                 {"gradients", "gradients"},
                                                 {"optimizer_state", "optimizer state"},
                                                 {"activations", "activations"},
                                                 {"inputs", "inputs"},
                                                 {"buffers", "buffers"},
                                                 {"autocast", "autocast copies"},
                                                 {"workspaces", "library workspaces"},
                                                 {"communication", "communication buffers"},
                                                 {"temporaries", "temporaries"},
                                                 {"unknown", "unknown"}}};

}  // namespace

std::string_view to_text(Category category) { return kTexts[static_cast<std::size_t>(category)].stable; }

std::string_view to_words(Category category) { return kTexts[static_cast<std::size_t>(category)].words; }

std::string_view to_text(Phase phase) {
  constexpr std::string_view kPhases[] = {"load", "forward", "backward", "optimizer", "other"};
  return kPhases[static_cast<std::size_t>(phase)];
}

}  // namespace dryfit::explain
