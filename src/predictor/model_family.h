// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dryfit::predictor {

/// Note [Families]
/// A predictor is judged on architectures that it has not seen, so models that are built of the same blocks must be
/// held out together, whatever library they come from. The family of a model is, by its name in lower case,
///   1. that of the first row of a table of kin that the name contains a word of: "wide_resnet50_2" and "resnext50"
///      are "resnet", "roberta-base" and "electra-small" are "bert", "tinyllama-1.1b" and "qwen2-0.5b" are "llama";
///   2. else the name's letters before anything that is none: "densenet121" is "densenet", "swin_v2_t" is "swin";
///   3. else the whole name.
std::string family_of(std::string_view model);

}  // namespace dryfit::predictor
