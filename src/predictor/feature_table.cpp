// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/feature_table.h"

#include <charconv>
#include <string_view>

namespace dryfit::predictor {
namespace {

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string field_of(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string line_of(const DataSet& data, std::size_t fold, std::size_t place) {
  const auto& example = data.examples[place];
  std::string line = std::to_string(fold) + (data.folds.folds[place] == fold ? ",test," : ",train,") +
                     std::to_string(example.row) + "," + field_of(example.group) + "," + shortest(example.truth) + "," +
                     shortest(data.bases[fold][place]);
  for (const double input : inputs_of(data, fold, place)) line += "," + shortest(input);
  return line + "\n";
}

}  // namespace

std::string feature_table(const DataSet& data) {
  std::string text = "fold,part,row,group,truth,base";
  for (const auto& name : input_names(data)) text += "," + field_of(name);
  text += "\n";
  for (std::size_t fold = 0; fold < data.folds.count; ++fold) {
    for (std::size_t place = 0; place < data.examples.size(); ++place) text += line_of(data, fold, place);
  }
  return text;
}

}  // namespace dryfit::predictor
