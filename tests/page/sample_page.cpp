// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
//   sample_page fits|fails|fails-first|fails-loading|many|eight|unexplained|snapshot FILE
//
// Writes the page of an imagined job, for the tests in a browser. "fails-first" fails in step 1 and "fails-loading"
// before it; "many" has 200,000 allocations; "eight" is a run on eight GPUs with every answer; "unexplained" is a run
// without a memory history, "snapshot" a history without a run: no verdict, no marks.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/json.h"
#include "report/page.h"
#include "sample_explanation.h"

namespace dryfit::page_samples {
namespace {

using namespace literals;
using verdict::Answer;
using verdict::Verdict;

Verdict verdict_of(const explain::Explanation& explanation, const std::string& id, const std::string& name,
                   Bytes capacity, Answer answer) {
  Verdict result{.answer = answer, .steps = 3, .device_used = true, .capacity = capacity};
  result.card.id = id;
  result.card.name = name;
  const auto& outside = explanation.outside.value();
  result.reserved_at_peak = explanation.peak.reserved;
  std::tie(result.context, result.libraries, result.code) = std::tie(outside.context, outside.libraries, outside.code);
  result.device_peak = result.reserved_at_peak + outside.sum();
  result.headroom = static_cast<std::int64_t>(capacity.count) - static_cast<std::int64_t>(result.device_peak.count);
  result.outside_low = outside.sum() - 20_MiB;
  result.outside_high = outside.sum() + 20_MiB;
  result.torch_peak_reserved = explanation.peak_reserved;
  result.torch_peak_allocated = explanation.peak.allocated;
  result.peak_at = {explanation.peak.step, std::string(to_text(explanation.peak.phase))};
  result.outside_source = "measured on this kind of card";
  result.seconds = 9.6;
  result.host_peak_rss = 812_MiB;
  result.software = {{"python", "3.11.2"}, {"torch", "2.6.0+cu124"}, {"cuda", "12.4"}, {"cudnn", "9.1.0"}};
  result.assumptions.push_back({"elements selected by a condition", "train.py:42", 3, 30, 40});
  return result;
}

void fail(Verdict& verdict) {
  verdict.answer = Answer::does_not_fit;
  verdict.reason = "PyTorch ran out of device memory";
  verdict.oom = analysis::FailedRequest{786_MiB, 310_MiB, verdict.peak_at};
}

verdict::Counting counting() {
  verdict::Counting result{.card = "a100-40gb"};
  result.compute.steps = {1'570'000'000'000, 1'570'000'000'000, 1'570'000'000'000};
  result.compute.last_step = {{"mm", "GPT2LMHeadModel.lm_head", 1'020'000'000'000},
                              {"addmm", "GPT2LMHeadModel.transformer.h.0.attn.c_attn", 518'000'000'000},
                              {"bmm", "GPT2LMHeadModel.transformer.h.0.attn", 32'000'000'000}};
  return result;
}

int write(const report::PageContents& contents, const std::string& file) {
  const auto html = report::page_html(contents);
  std::ofstream out(file, std::ios::binary);
  out << html;
  std::printf("%zu bytes\n", html.size());
  return out.flush() ? 0 : 1;
}

/// A history from elsewhere: what was allocated, and by which line.
int write_snapshot(const std::string& file) {
  auto explanation = sample_explanation({});
  for (auto& each : explanation.allocations) {
    each.category = explain::Category::unknown;
    each.module = each.op = each.tensor = each.type = 0;
  }
  explanation.spans = {{}};
  explanation.outside.reset();
  explanation.has_marks = explanation.from_beginning = false;
  return write({.title = "snapshot.pickle", .explanations = {&explanation}}, file);
}

/// With outside memory of 160 MiB, what fail() says is free.
Bytes too_little(const explain::Explanation& explanation) { return explanation.peak.reserved + 470_MiB; }

/// The small job on eight GPUs, in the order of their names.
int write_eight(const std::string& file) {
  const auto explanation = sample_explanation({});
  const auto on = [&](const char* id, Bytes capacity, Answer answer) {
    auto result = verdict_of(explanation, id, id, capacity, answer);
    if (answer == Answer::does_not_fit) fail(result);
    if (answer == Answer::cannot_tell) result.reason = "the program failed with exit code 1; its own output is above";
    return result;
  };
  const std::vector<Verdict> verdicts{
      on("a100-40gb", 40506_MiB, Answer::fits),           on("a100-40gb-mig-1g.5gb", 4864_MiB, Answer::cannot_tell),
      on("rtx-2060-6gb", 2000_MiB, Answer::does_not_fit), on("rtx-3060-12gb", 12042_MiB, Answer::fits),
      on("rtx-3080-10gb", 2780_MiB, Answer::tight),       on("rtx-3090-24gb", 24259_MiB, Answer::fits),
      on("rtx-4060-8gb", 2100_MiB, Answer::does_not_fit), on("t4-16gb", 14920_MiB, Answer::fits)};
  return write({.title = "dryfit: train.py",
                .verdict = report::json_text("0.2.0", {"python", "train.py"}, verdicts, std::nullopt)},
               file);
}

/// A job that fails on its only GPU.
int write_failure(const Job& job, const std::string& file) {
  auto explanation = sample_explanation(job);
  explanation.card = "rtx-4060-8gb";
  std::vector<Verdict> verdicts{verdict_of(explanation, "rtx-4060-8gb", "NVIDIA GeForce RTX 4060",
                                           too_little(explanation), Answer::does_not_fit)};
  fail(verdicts[0]);
  return write({.title = "dryfit: train.py",
                .verdict = report::json_text("0.2.0", {"python", "train.py"}, verdicts, std::nullopt),
                .explanations = {&explanation}},
               file);
}

int write_page(const Job& job, bool explained, const std::string& file) {
  auto first = sample_explanation(job);
  auto second = sample_explanation({.blocks = 6, .fails = true});
  first.card = "a100-40gb";
  second.card = "rtx-4060-8gb";
  std::vector<Verdict> verdicts{
      verdict_of(first, "a100-40gb", "NVIDIA A100-SXM4-40GB", job.fails ? too_little(first) : 40506_MiB,
                 job.fails ? Answer::does_not_fit : Answer::fits),
      verdict_of(second, "rtx-4060-8gb", "NVIDIA GeForce RTX 4060", too_little(second), Answer::does_not_fit)};
  if (job.fails) fail(verdicts[0]);
  fail(verdicts[1]);
  // A command that would end the script element, or be markup, if it were not written as text.
  const std::vector<std::string> command{"python", "train.py", "</script><b id=\"injected\">&"};
  report::PageContents contents{.title = "dryfit: train.py",
                                .verdict = report::json_text("0.2.0", command, verdicts, counting())};
  if (explained) contents.explanations = {&first, &second};
  return write(contents, file);
}

}  // namespace
}  // namespace dryfit::page_samples

int main(int argc, char** argv) {
  using namespace dryfit::page_samples;
  const std::string_view kind = argc == 3 ? argv[1] : "";
  if (kind == "fits") return write_page({}, true, argv[2]);
  if (kind == "fails") return write_page({.fails = true}, true, argv[2]);
  if (kind == "fails-first") return write_failure({.steps = 1, .fails = true}, argv[2]);
  if (kind == "fails-loading") return write_failure({.steps = 0, .fails = true}, argv[2]);
  if (kind == "eight") return write_eight(argv[2]);
  if (kind == "many") return write_page({.blocks = 48, .steps = 63, .temporaries = 6}, true, argv[2]);
  if (kind == "unexplained") return write_page({}, false, argv[2]);
  if (kind == "snapshot") return write_snapshot(argv[2]);
  std::fputs("usage: sample_page fits|fails|fails-first|fails-loading|many|eight|unexplained|snapshot FILE\n", stderr);
  return 2;
}
