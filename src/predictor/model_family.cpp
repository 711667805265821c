// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_family.h"

#include <algorithm>
#include <array>

namespace dryfit::predictor {
namespace {

struct Kin {
  std::string_view word;
  std::string_view family;
};

/// The first word that is found decides, so the longer one of two overlapping words comes first.
constexpr auto kKin = std::to_array<Kin>({
    {"convnext", "convnext"},
    {"efficientvit", "efficientvit"},
    {"mobilevit", "mobilevit"},
    {"efficientnet", "mbconv"},
    {"mobilenet", "mbconv"},
    {"mnasnet", "mbconv"},
    {"fbnet", "mbconv"},
    {"mixnet", "mbconv"},
    {"spnasnet", "mbconv"},
    {"tinynet", "mbconv"},
    {"lcnet", "mbconv"},
    {"maxvit", "maxvit"},
    {"maxxvit", "maxvit"},
    {"coatnet", "maxvit"},
    {"crossvit", "crossvit"},
    {"levit", "levit"},
    {"davit", "davit"},
    {"gcvit", "gcvit"},
    {"fastvit", "fastvit"},
    {"repvit", "repvit"},
    {"regnet", "regnet"},
    {"resnet", "resnet"},
    {"resnext", "resnet"},
    {"resnest", "resnet"},
    {"distilbert", "bert"},
    {"roberta", "bert"},
    {"albert", "bert"},
    {"bert", "bert"},
    {"electra", "bert"},
    {"llama", "llama"},
    {"qwen", "llama"},
    {"mistral", "llama"},
    {"pythia", "gpt-neox"},
    {"gpt-neox", "gpt-neox"},
    {"gpt", "gpt"},
    {"deit", "vit"},
    {"beit", "vit"},
    {"eva02", "vit"},
    {"flexivit", "vit"},
    {"vit", "vit"},
    {"darknet", "darknet"},
    {"t5", "t5"},
});

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::string family_of(std::string_view model) {
  std::string name(model);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto found = std::ranges::find_if(kKin, [&](const Kin& kin) { return name.find(kin.word) != name.npos; });
  if (found != kKin.end()) return std::string(found->family);
  const std::string letters(name.begin(), std::ranges::find_if_not(name, is_letter));
  return letters.empty() ? name : letters;
}

}  // namespace dryfit::predictor
