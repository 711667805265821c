// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "sample_explanation.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dryfit::page_samples {
namespace {

using namespace explain;
using namespace literals;

constexpr Bytes kSegment = 256_MiB;
constexpr const char* kLayers[] = {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj", "ln_1", "rotary.0"};

/// Plays the job and writes down what it does.
class Player {
 public:
  explicit Player(const Job& job) : job_(job) {
    result_.names.push_back("");
    names_[""] = 0;
  }

  Explanation play() {
    load();
    if (job_.fails && job_.steps == 0) fail();
    for (std::uint32_t step = 1; step <= job_.steps; ++step) {
      forward(step);
      if (job_.fails && step == job_.steps) {
        fail();
        break;
      }
      backward(step);
      optimizer(step);
    }
    finish();
    return std::move(result_);
  }

 private:
  struct Layer {
    std::string module;
    Bytes weight;
    Bytes activation;
  };

  NameId name(const std::string& text) {
    const auto [found, is_new] = names_.try_emplace(text, static_cast<NameId>(result_.names.size()));
    if (is_new) result_.names.push_back(text);
    return found->second;
  }

  LineId line(const std::string& file, std::uint32_t number, const std::string& function) {
    const auto [found, is_new] = lines_.try_emplace({file, number}, static_cast<LineId>(result_.lines.size()));
    if (is_new) result_.lines.push_back({name(file), number, name(function), file.find("site-packages") < file.size()});
    return found->second;
  }

  StackId stack(const std::vector<LineId>& lines) {
    const auto [found, is_new] = stacks_.try_emplace(lines, static_cast<StackId>(result_.stacks.size()));
    if (is_new) result_.stacks.push_back(lines);
    return found->second;
  }

  void begin(std::uint32_t step, Phase phase) {
    result_.spans.push_back({event(), step, phase});
    step_ = step;
    phase_ = phase;
  }

  Event event() const { return static_cast<Event>(result_.times_us.size()); }
  void tick() { result_.times_us.push_back(static_cast<std::int64_t>(event()) * 10); }

  /// The stack of a line of train.py, and in a module of those that lead there.
  void place(Allocation& made, const std::string& module, std::uint32_t number, const std::string& function) {
    made.line = line("/home/ada/gpt/train.py", number, function);
    std::vector<LineId> lines{made.line, line("/home/ada/gpt/train.py", 88, "main")};
    if (!module.empty()) {
      const auto inner = line("/opt/python/lib/python3.11/site-packages/transformers/models/gpt2/modeling_gpt2.py",
                              100 + static_cast<std::uint32_t>(module.size()), "forward");
      lines.insert(lines.begin(), inner);
      lines.insert(lines.begin() + 1,
                   line("/opt/python/lib/python3.11/site-packages/torch/nn/modules/module.py", 1750, "_call_impl"));
    }
    made.stack = stack(lines);
  }

  std::uint32_t allocate(Category category, const Layer& layer, Bytes bytes, const std::string& op,
                         const std::string& tensor, std::uint32_t number, const std::string& function) {
    Allocation made{.born = event(), .address = bytes_made_, .bytes = round_up(bytes, 512_B), .requested = bytes};
    made.category = category;
    made.module = name(layer.module);
    made.op = name(op);
    made.tensor = name(tensor);
    made.type = name("float32 [" + std::to_string(bytes.count / 4 / 768) + ", 768]");
    made.step = step_;
    made.phase = phase_;
    place(made, layer.module, number, function);
    bytes_made_ += made.bytes.count;
    now_ += made.bytes;
    result_.allocations.push_back(made);
    tick();
    reserve();
    return static_cast<std::uint32_t>(result_.allocations.size() - 1);
  }

  void free(std::uint32_t index) {
    result_.allocations[index].died = event();
    now_ -= result_.allocations[index].bytes;
    tick();
  }

  void reserve() {
    if (now_ <= reserved_) return;
    reserved_ = round_up(now_, kSegment);
    result_.reserved.push_back({result_.reserved.empty() ? 0 : event() - 1, reserved_});
  }

  void load() {
    begin(0, Phase::load);
    layers_.push_back({"GPT2LMHeadModel.transformer.wte", 147_MiB, 24_MiB});
    for (std::uint32_t block = 0; block < job_.blocks; ++block) {
      std::uint64_t size = 4;
      for (const auto* layer : kLayers) {
        const auto module = "GPT2LMHeadModel.transformer.h." + std::to_string(block) + "." + layer;
        layers_.push_back({module, Bytes{(size << 20) / 4 + 300}, Bytes{(size + 3) << 20}});
        size = (size * 7) % 23 + 1;
      }
    }
    for (const auto& layer : layers_) {
      allocate(Category::parameters, layer, layer.weight, "empty", "weight", 31, "build");
    }
    allocate(Category::buffers, {"GPT2LMHeadModel.transformer", {}, {}}, 4_MiB, "tril", "bias", 31, "build");
  }

  void forward(std::uint32_t step) {
    begin(step, Phase::forward);
    inputs_ = allocate(Category::inputs, {"", {}, {}}, 128_KiB, "to", "", 52, "train");
    for (const auto& layer : layers_) {
      for (std::uint32_t i = 0; i < job_.temporaries; ++i) {
        free(allocate(Category::temporaries, layer, layer.activation, "add", "", 55, "train"));
      }
      free(allocate(Category::workspaces, layer, 8519680_B, "addmm", "", 55, "train"));
      saved_.push_back(allocate(Category::activations, layer, layer.activation, "addmm", "", 55, "train"));
    }
  }

  void backward(std::uint32_t step) {
    begin(step, Phase::backward);
    for (auto i = layers_.size(); i-- > 0;) {
      const auto& layer = layers_[i];
      const auto flow = allocate(Category::temporaries, layer, layer.activation, "addmm (backward)", "", 57, "train");
      gradients_.push_back(
          allocate(Category::gradients, layer, layer.weight, "addmm (backward)", "weight.grad", 57, "train"));
      free(saved_[i]);
      free(flow);
    }
    saved_.clear();
    free(inputs_);
  }

  void optimizer(std::uint32_t step) {
    begin(step, Phase::optimizer);
    for (const auto& layer : layers_) {
      if (step == 1) {
        for (const auto* state : {"exp_avg of weight", "exp_avg_sq of weight"}) {
          allocate(Category::optimizer_state, layer, layer.weight, "zeros_like", state, 58, "train");
        }
      }
      free(allocate(Category::temporaries, layer, layer.weight, "_foreach_sqrt", "", 58, "train"));
    }
    for (const auto gradient : gradients_) free(gradient);
    gradients_.clear();
  }

  void fail() {
    tick();
    const auto at = line("/home/ada/gpt/train.py", 55, "train");
    result_.failure = Failure{event() - 1, 786_MiB, name("GPT2LMHeadModel.lm_head"), at, stack({at})};
  }

  Event peak_event() const {
    if (result_.failure) return result_.failure->event;
    std::vector<std::int64_t> change(result_.times_us.size(), 0);
    for (const auto& each : result_.allocations) {
      change[each.born] += static_cast<std::int64_t>(each.bytes.count);
      if (each.died != kNever) change[each.died] -= static_cast<std::int64_t>(each.bytes.count);
    }
    std::int64_t now = 0, most = -1;
    Event peak = 0;
    for (Event e = 0; e < change.size(); ++e) {
      now += change[e];
      if (now <= most) continue;
      most = now;
      peak = e;
    }
    return peak;
  }

  void finish() {
    auto& peak = result_.peak;
    peak.event = peak_event();
    for (const auto& span : result_.spans) {
      if (span.begin <= peak.event) std::tie(peak.step, peak.phase) = std::pair(span.step, span.phase);
    }
    for (const auto& each : result_.reserved) {
      if (each.begin <= peak.event) peak.reserved = each.bytes;
    }
    place_segments();
    peak.cached = peak.reserved - peak.allocated;
    result_.peak_reserved = reserved_;
    result_.outside = Outside{120_MiB, 32_MiB, 8_MiB};
    result_.pid = 4711;
    result_.torch = "2.6.0+cu124";
    result_.has_marks = true;
  }

  /// What lives at the peak, one after the other; what is left of a segment is free.
  void place_segments() {
    auto& peak = result_.peak;
    for (std::uint32_t i = 0; i < result_.allocations.size(); ++i) {
      const auto& each = result_.allocations[i];
      if (each.born > peak.event || each.died <= peak.event) continue;
      peak.allocated += each.bytes;
      peak.categories[static_cast<std::size_t>(each.category)] += each.bytes;
      if (peak.segments.empty() || used_ + each.bytes > kSegment) close_segment(std::max(kSegment, each.bytes));
      peak.segments.back().blocks.push_back({each.address, each.bytes, i});
      used_ += each.bytes;
    }
    close_segment({});
    Bytes sum;
    for (const auto& segment : peak.segments) sum += segment.bytes;
    peak.reserved = sum;
    for (auto& each : result_.reserved) each.bytes = std::max(each.bytes, sum);
  }

  /// Fills the last segment up, and opens one of that size if it is not nothing.
  void close_segment(Bytes next) {
    auto& segments = result_.peak.segments;
    if (!segments.empty() && used_ < segments.back().bytes) {
      segments.back().blocks.push_back({0, segments.back().bytes - used_, kNone});
    }
    if (next > Bytes{}) segments.push_back({.bytes = next});
    used_ = {};
  }

  Job job_;
  Explanation result_;
  std::map<std::string, NameId> names_;
  std::map<std::pair<std::string, std::uint32_t>, LineId> lines_;
  std::map<std::vector<LineId>, StackId> stacks_;
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> saved_, gradients_;
  std::uint32_t inputs_ = 0;
  std::uint32_t step_ = 0;
  Phase phase_ = Phase::load;
  std::uint64_t bytes_made_ = 0;
  Bytes now_, reserved_, used_;
};

}  // namespace

Explanation sample_explanation(const Job& job) { return Player(job).play(); }

}  // namespace dryfit::page_samples
