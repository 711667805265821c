// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "synonyms.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "predict_question.h"

namespace dryfit::cli {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Option of another tool, ours. A value is kept.
constexpr auto kOptions = std::to_array<Pair>({
    {"--num-gpus", "--count"},
    {"--ngpus", "--count"},
    {"--gpu-count", "--count"},
    {"--n-gpus", "--count"},
    {"--n-gpu", "--count"},
    {"--gpus-per-node", "--count"},
    {"--max-steps", "--steps"},
    {"--num-steps", "--steps"},
    {"--iterations", "--steps"},
    {"--iters", "--steps"},
    {"-n", "--steps"},
    {"-g", "--gpu"},
    {"--bs", "--batch"},
    {"--seq-len", "--size"},
    {"--seqlen", "--size"},
    {"--seq-length", "--size"},
    {"--sequence-length", "--size"},
    {"--max-length", "--size"},
    {"--image-size", "--size"},
    {"--img-size", "--size"},
    {"--resolution", "--size"},
    {"--input-size", "--size"},
    {"--dtype", "--precision"},
});

/// Flag of another tool, our precision.
constexpr auto kPrecisionFlags = std::to_array<Pair>({
    {"--amp", "bf16-amp"},
    {"--bf16", "bf16-amp"},
    {"--fp16", "fp16-amp"},
    {"--fp32", "fp32"},
    {"--half", "fp16-amp"},
});

/// Command of another tool, ours.
constexpr auto kCommands = std::to_array<Pair>({
    {"compare", "diff"},   {"list", "gpus"},   {"ls", "gpus"},     {"cards", "gpus"},        {"devices", "gpus"},
    {"show", "top"},       {"inspect", "top"}, {"summary", "top"}, {"explain", "top"},       {"view", "report"},
    {"html", "report"},    {"page", "report"}, {"open", "report"}, {"flamegraph", "report"}, {"measure", "observe"},
    {"record", "observe"}, {"show", "list"},   {"ls", "list"},     {"delete", "remove"},     {"rm", "remove"},
    {"clear", "remove"},
});

constexpr std::string_view kLongDashes[] = {"\u2014", "\u2013", "\u2212"};

bool has_command(const CLI::App& app, std::string_view name) {
  return !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; }).empty();
}

/// `beginning`, then the words of `line` after the first.
TypedLine with_beginning(std::vector<std::string> beginning, const TypedLine& line) {
  beginning.insert(beginning.end(), line.words().begin() + 1, line.words().end());
  return TypedLine(std::move(beginning));
}

/// `help`, `help run`, `version`.
std::optional<TypedLine> about_itself(const TypedLine& line) {
  const auto& first = line.words().front();
  if (first == "version" || first == "-V" || first == "-v") return TypedLine({"--version"});
  if (first != "help") return std::nullopt;
  auto words = with_beginning({}, line).words();
  words.emplace_back("--help");
  return TypedLine(std::move(words));
}

bool ends_in(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return word.ends_with(ending); });
}

/// A run or a file that one command reads, in place of the command.
std::optional<TypedLine> command_before(const TypedLine& line) {
  const auto& word = line.words().front();
  if (word == "last" || word.starts_with("last~")) return with_beginning({"top", word}, line);
  if (ends_in(word, {".pickle", ".pkl"})) return with_beginning({"replay", word}, line);
  if (ends_in(word, {".dryfit"})) return with_beginning({"trace", word}, line);
  if (!ends_in(word, {".json", ".json.gz"})) return std::nullopt;
  const auto estimate = with_beginning({"estimate", word}, line);
  return line.value_of("--gpu") ? estimate : estimate.with_options({"--gpu", "rtx-4090"});
}

/// `sweep myrun` is an option of `replay`.
std::optional<TypedLine> replayed(const TypedLine& line) {
  if (line.words().front() != "sweep") return std::nullopt;
  auto words = with_beginning({"replay"}, line).words();
  words.emplace_back("--sweep");
  return TypedLine(std::move(words));
}

}  // namespace

std::optional<std::vector<std::string>> option_meant(const CLI::App& command, const std::string& option,
                                                     const std::optional<std::string>& value) {
  const auto flag = std::ranges::find(kPrecisionFlags, option, &Pair::first);
  if (flag != kPrecisionFlags.end() && command.get_option_no_throw("--precision")) {
    std::vector<std::string> words{"--precision", std::string(flag->second)};
    if (value) words.push_back(*value);
    return words;
  }
  const auto found = std::ranges::find(kOptions, option, &Pair::first);
  if (found == kOptions.end() || !value || !command.get_option_no_throw(std::string(found->second)))
    return std::nullopt;
  const auto precision = found->second == "--precision" ? precision_meant(*value) : "";
  return std::vector<std::string>{std::string(found->second), precision.empty() ? *value : precision};
}

std::optional<Error> long_dash(const std::vector<std::string>& words, const TypedLine& line) {
  for (const auto& word : words) {
    const auto begins = [&](std::string_view dash) { return word.starts_with(dash); };
    const auto dash = std::ranges::find_if(kLongDashes, begins);
    if (dash == std::end(kLongDashes)) continue;
    return Error{"'" + word + "' begins with a long dash",
                 did_you_mean(line.with_word(word, {"--" + word.substr(dash->size())}))};
  }
  return std::nullopt;
}

std::optional<TypedLine> line_meant(const CLI::App& app, const std::string& word, const TypedLine& line) {
  if (app.get_parent() == nullptr && line.words().front() == word) {
    if (auto meant = about_itself(line)) return meant;
    if (auto meant = command_before(line)) return meant;
    if (auto meant = replayed(line)) return meant;
  }
  for (const auto& [theirs, ours] : kCommands) {
    if (theirs == word && has_command(app, ours)) return line.with_word(word, {std::string(ours)});
  }
  return std::nullopt;
}

}  // namespace dryfit::cli
