// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/block_sequence.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace dryfit::predictor {
namespace {

constexpr double kFloatBytes = 4;

using Field = BlockField;

/// Fields that the caching allocator and cuBLAS influence, so that they are ignored when two blocks are compared.
constexpr std::array kHeld{Field::saved_bytes, Field::saved_func, Field::saved_norm, Field::saved_act, Field::n_func};

/// The fields of a run that are sums, besides kHeld. All others except `run` are maxima.
constexpr std::array kSums{Field::param_bytes, Field::macs,     Field::n_conv, Field::n_pointwise, Field::n_groupconv,
                           Field::n_depthwise, Field::n_linear, Field::n_norm, Field::n_act,       Field::n_pool};

constexpr std::array kMaxima{Field::max_out_bytes,       Field::max_conv_bytes, Field::max_groupconv_bytes,
                             Field::max_depthwise_bytes, Field::k_group_dw,     Field::k_conv,
                             Field::hw_group_dw,         Field::max_groups,     Field::max_channels};

static_assert(kHeld.size() + kSums.size() + kMaxima.size() + 1 == kBlockFields);

using Words = std::vector<std::string_view>;

Words split(std::string_view name) {
  Words words;
  for (;;) {
    const auto dot = name.find('.');
    words.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return words;
    name.remove_prefix(dot + 1);
  }
}

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

bool is_number(std::string_view word) { return !word.empty() && std::ranges::all_of(word, is_digit); }

/// "layer2", "encoder_layer_11".
bool ends_in_number(std::string_view word) { return !word.empty() && is_digit(word.back()); }

/// The place of the first container with a number, or of the layer itself if it is one of a sequence.
std::size_t first_number(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 1 < words.size() ? ends_in_number(words[i]) : is_number(words[i])) return i;
  }
  return words.size();
}

/// How many more words belong to a container with a name that ends at `last`, never including the layer itself.
std::size_t step_behind(const Words& words, std::size_t last) {
  const auto container = [&](std::size_t place) { return place + 1 < words.size(); };
  if (container(last + 1) && is_number(words[last + 1])) return 1;
  if (container(last + 1) && !is_number(words[last]) && ends_in_number(words[last + 1])) return 1;
  const bool nested = container(last + 2) && (words[last + 1] == "blocks" || words[last + 1] == "layers");
  return nested && is_number(words[last + 2]) ? 2 : 0;
}

class BlockBuilder {
 public:
  explicit BlockBuilder(double batch) : batch_(batch) { block_[Field::run] = 1; }

  /// A module that is called again brings no parameters of its own.
  void add(const Layer& layer, bool first_call) {
    const auto role = role_of(layer);
    const double out = per_sample(elements_of(layer.outputs) * kFloatBytes);
    const double in = per_sample(elements_of(layer.inputs) * kFloatBytes);
    const double held = per_sample(layer.held_bytes);
    raise(Field::max_out_bytes, out);
    block_[Field::param_bytes] += first_call ? layer.parameters * kFloatBytes : 0;
    block_[Field::macs] += per_sample(multiply_adds_of(layer));
    block_[Field::saved_bytes] += role == LayerRole::linear ? std::min(held, out) : held;
    count(role, layer, held);
    raise_sizes(role, layer, std::max(in, out));
  }

  /// What functions after the last layer keep.
  void add_functions(double bytes) {
    if (bytes == 0) return;
    block_[Field::n_func] += bytes > 0 ? 1 : 0;
    block_[Field::saved_func] += per_sample(bytes);
    block_[Field::saved_bytes] += per_sample(bytes);
  }

  Block block() const {
    Block result = block_;
    for (auto& value : result.values) value = std::max(value, 0.0);
    return result;
  }

 private:
  double per_sample(double all) const { return all / batch_; }

  void raise(Field field, double value) { block_[field] = std::max(block_[field], value); }

  void count(LayerRole role, const Layer& layer, double held) {
    switch (role) {
      case LayerRole::convolution:
        block_[Field::n_conv] += 1;
        break;
      case LayerRole::pointwise:
        block_[Field::n_pointwise] += 1;
        break;
      case LayerRole::grouped:
        block_[Field::n_groupconv] += 1;
        break;
      case LayerRole::depthwise:
        block_[Field::n_depthwise] += 1;
        break;
      case LayerRole::linear:
        block_[Field::n_linear] += 1;
        break;
      case LayerRole::pool:
        block_[Field::n_pool] += 1;
        break;
      case LayerRole::norm:
        block_[Field::n_norm] += 1;
        block_[Field::saved_norm] += held;
        break;
      case LayerRole::activation:
        block_[Field::n_act] += 1;
        block_[Field::saved_act] += held;
        break;
      case LayerRole::other:
        block_[Field::n_func] += layer.held_bytes > 0 ? 1 : 0;
        block_[Field::saved_func] += held;
        break;
    }
  }

  void raise_sizes(LayerRole role, const Layer& layer, double bytes) {
    const double kernel = layer.kernel_size.empty() ? 0 : static_cast<double>(std::ranges::max(layer.kernel_size));
    switch (role) {
      case LayerRole::convolution:
        raise(Field::max_conv_bytes, bytes);
        raise(Field::k_conv, kernel);
        break;
      case LayerRole::grouped:
        raise(Field::max_groupconv_bytes, bytes);
        raise_grouped(layer, kernel);
        break;
      case LayerRole::depthwise:
        raise(Field::max_depthwise_bytes, bytes);
        raise_grouped(layer, kernel);
        break;
      case LayerRole::pointwise:
        break;
      default:
        return;
    }
    raise_channels(layer.inputs);
    raise_channels(layer.outputs);
  }

  void raise_grouped(const Layer& layer, double kernel) {
    raise(Field::k_group_dw, kernel);
    raise(Field::max_groups, layer.groups);
    if (!layer.outputs.empty() && !layer.outputs[0].empty()) {
      raise(Field::hw_group_dw, static_cast<double>(layer.outputs[0].back()));
    }
  }

  void raise_channels(const std::vector<Shape>& shapes) {
    if (!shapes.empty() && shapes[0].size() > 1) raise(Field::max_channels, static_cast<double>(shapes[0][1]));
  }

  double batch_;
  Block block_;
};

std::vector<Block> blocks_by_name(std::span<const Layer> layers, double batch) {
  std::vector<BlockBuilder> builders;
  std::set<std::string_view> called;
  std::string current;
  for (const auto& layer : layers) {
    if (!builders.empty()) builders.back().add_functions(layer.between_bytes);
    auto name = block_name(layer.name);
    if (builders.empty() || name != current) builders.emplace_back(batch);
    if (called.empty()) builders.back().add_functions(layer.between_bytes);
    builders.back().add(layer, called.insert(layer.name).second);
    current = std::move(name);
  }
  std::vector<Block> blocks;
  for (const auto& builder : builders) blocks.push_back(builder.block());
  return blocks;
}

bool are_alike(const Block& a, const Block& b) {
  const auto same = [&](Field field) { return a[field] == b[field]; };
  return std::ranges::all_of(kSums, same) && std::ranges::all_of(kMaxima, same);
}

Block run_of(std::span<const Block> twins) {
  Block run = twins.front();
  for (const auto field : kHeld) {
    for (const auto& twin : twins) run[field] = std::min(run[field], twin[field]);
    run[field] *= static_cast<double>(twins.size());
  }
  for (const auto field : kSums) run[field] *= static_cast<double>(twins.size());
  run[Field::run] = static_cast<double>(twins.size());
  return run;
}

std::vector<Block> with_runs(const std::vector<Block>& blocks) {
  std::vector<Block> runs;
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    const auto end = std::find_if(begin, blocks.end(), [&](const Block& block) { return !are_alike(block, *begin); });
    runs.push_back(run_of({begin, end}));
    begin = end;
  }
  return runs;
}

Block merged(const Block& a, const Block& b) {
  Block both = a;
  for (const auto field : kHeld) both[field] += b[field];
  for (const auto field : kSums) both[field] += b[field];
  for (const auto field : kMaxima) both[field] = std::max(both[field], b[field]);
  both[Field::run] += b[Field::run];
  return both;
}

/// The first place at which two neighbours together hold the least.
std::size_t lightest_pair(const std::vector<Block>& blocks) {
  std::size_t best = 0;
  const auto weight = [&](std::size_t i) { return blocks[i][Field::saved_bytes] + blocks[i + 1][Field::saved_bytes]; };
  for (std::size_t i = 1; i + 1 < blocks.size(); ++i) {
    if (weight(i) < weight(best)) best = i;
  }
  return best;
}

}  // namespace

std::string block_name(std::string_view layer) {
  const auto words = split(layer);
  auto last = first_number(words);
  if (last == words.size()) return std::string(words.front());
  while (const auto step = step_behind(words, last)) last += step;
  const auto end = static_cast<std::size_t>(words[last].data() + words[last].size() - layer.data());
  return std::string(layer.substr(0, end));
}

std::vector<Block> blocks_of(std::span<const Layer> layers, double batch) {
  auto blocks = with_runs(blocks_by_name(layers, batch));
  while (blocks.size() > kMostBlocks) {
    const auto place = blocks.begin() + static_cast<std::ptrdiff_t>(lightest_pair(blocks));
    *place = merged(*place, *(place + 1));
    blocks.erase(place + 1);
  }
  return blocks;
}

}  // namespace dryfit::predictor
