// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dryfit::predictor {

/// Note [Families]
/// A predictor is tested on architectures that it has not seen, so models that are built from the same blocks must be
/// held out together, whatever library they come from. The family of a model is, by its name in lower case,
///   1. that of the first row in a table of related names with a word that the name contains: "wide_resnet50_2" and
///      "resnext50" are "resnet", "roberta-base" and "electra-small" are "bert", "tinyllama-1.1b" and "qwen2-0.5b" are
///      "llama";
///   2. otherwise the letters at the start of the name: "densenet121" is "densenet", "swin_v2_t" is "swin";
///   3. otherwise the whole name.
std::string family_of(std::string_view model);

}  // namespace dryfit::predictor
