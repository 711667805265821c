// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_blocks.h"

namespace dryfit::predictor {

Result<BlockLists> blocks_in(const Table& table) {
  const auto models = table.texts("model");
  if (!models) return models.error();
  const auto images = table.numbers("img");
  if (!images) return images.error();
  const auto tokens = table.numbers("token");
  if (!tokens) return tokens.error();
  std::vector<std::vector<double>> fields;
  for (std::size_t i = 0; i < kBlockFields; ++i) {
    auto numbers = table.numbers(to_text(static_cast<BlockField>(i)));
    if (!numbers) return numbers.error();
    fields.push_back(std::move(*numbers));
  }
  BlockLists lists;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto& list = lists[{(*models)[row], (*images)[row]}];
    if ((*tokens)[row] != static_cast<double>(list.size())) {
      return Error{table.place(row) + ": the block is not the next one of its model", "List blocks in order, from 0."};
    }
    Block block;
    for (std::size_t i = 0; i < kBlockFields; ++i) block.values[i] = fields[i][row];
    list.push_back(block);
  }
  return lists;
}

}  // namespace dryfit::predictor
