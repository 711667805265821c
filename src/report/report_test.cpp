// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden tests: text out is compared with tests/golden/report-*.txt. After a change on purpose, refresh them all with
//   DRYFIT_REFRESH_GOLDEN=1 build/dev/src/report/report_test
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/compute.h"
#include "report/json.h"
#include "report/terminal.h"
#include "report/wording.h"

namespace dryfit::report {
namespace {

using namespace literals;
using verdict::Answer;
using verdict::Verdict;

Card card(std::string id, std::string name, Bytes memory) {
  Card card;
  card.id = std::move(id);
  card.name = std::move(name);
  card.total_memory = memory;
  card.context_memory = 176_MiB;
  card.context_spread = 60_MiB;
  return card;
}

void set_interval(Verdict& v) {
  v.outside_low = 140_MiB;
  v.outside_high = 260_MiB;
  v.device_peak_low = v.reserved_at_peak + v.outside_low;
  v.device_peak_high = v.reserved_at_peak + v.outside_high;
}

Verdict fitting() {
  Verdict v;
  v.card = card("rtx-3060-12gb", "NVIDIA GeForce RTX 3060", Bytes{12'622'168'064});
  v.answer = Answer::fits;
  v.steps = 3;
  v.device_used = true;
  v.capacity = v.card.total_memory;
  v.reserved_at_peak = 9_GiB;
  v.libraries = 18_MiB;
  v.library_parts = {{"libcublas.so.12", 17_MiB}, {"libcublasLt.so.12", 512_KiB}, {"libcudnn_graph.so.9", 512_KiB}};
  v.context = 176_MiB;
  v.code = 6_MiB;
  v.device_peak = 9_GiB + 200_MiB;
  v.headroom = static_cast<std::int64_t>((v.capacity - v.device_peak).count);
  v.torch_peak_reserved = 9_GiB;
  v.torch_peak_allocated = 8_GiB + 563_MiB;
  v.torch_reserved_after_load = 512_MiB;
  v.context_origin = v.outside_origin = Origin::measured;
  v.outside_source = "measured: 205 MiB (within 15) in training, OOM messages; 8 MiB between kinds of model";
  set_interval(v);
  v.orders = {{AddressOrder::chunk, Answer::fits, v.device_peak, v.torch_peak_reserved}};
  v.peak_at = {2, "backward"};
  v.seconds = 4.2;
  v.host_peak_rss = 700_MiB;
  v.software = {{"python", "3.11.7"}, {"torch", "2.6.0+cu124"}, {"cuda", "12.4"}, {"cudnn", "9.1.0"}};
  v.limits = {.to_request = 9_GiB + 260_MiB,
              .comfortable_cap = 9_GiB,
              .least_cap = 8_GiB + 702_MiB,
              .upper_bound_because = "cuDNN may continue with a smaller workspace"};
  return v;
}

Verdict not_fitting() {
  Verdict v = fitting();
  v.card = card("rtx-4060-8gb", "NVIDIA GeForce RTX 4060", Bytes{8'321'499'136});
  v.answer = Answer::does_not_fit;
  v.reason = "PyTorch ran out of device memory";
  v.limits.reset();
  v.steps = 0;
  v.capacity = v.card.total_memory;
  v.reserved_at_peak = 7_GiB + 230_MiB;
  v.device_peak = 7_GiB + 430_MiB;
  v.torch_peak_reserved = v.reserved_at_peak;
  v.torch_peak_allocated = 7_GiB;
  v.headroom = static_cast<std::int64_t>((v.capacity - v.device_peak).count);
  v.context_origin = v.outside_origin = Origin::derived;
  v.outside_source = "";
  set_interval(v);
  v.orders = {{AddressOrder::chunk, v.answer, v.device_peak, v.torch_peak_reserved}};
  v.peak_at = {1, "forward"};
  v.oom = {512_MiB, 338_MiB, {1, "forward"}};
  v.ooms = 1;
  v.seconds = 3.14159;
  return v;
}

Verdict tight() {
  Verdict v = fitting();
  v.answer = Answer::tight;
  v.caveats = {
      {"memory_ran_short", "the GPU was full, and PyTorch continued only by releasing its cached memory, once"},
      {"assumed_sizes", "sizes that depend on data were assumed to be smaller than the largest possible"}};
  v.reason = v.caveats.front().text;
  v.assumptions = {{"nonzero", "train.py:42", 3, 30, 40},
                   {"unique", "", 1, 7, 7},
                   {"masked_select", "m.py:1", 1, 0, 9},
                   {"nms", "m.py:2", 1, 5, 9}};
  v.tuning = {"torch.backends.cudnn.benchmark"};
  v.orders.push_back({AddressOrder::ascending, Answer::tight, 9_GiB + 300_MiB, 9_GiB + 100_MiB});
  v.orders.push_back({AddressOrder::descending, Answer::does_not_fit, 9_GiB, 9_GiB});
  return v;
}

Verdict near_miss() {
  Verdict v = not_fitting();
  v.caveats = {{"outside_memory",
                "short by 20.0 MiB, which is within the uncertainty of the memory outside PyTorch; it might fit"}};
  return v;
}

Verdict untold() {
  Verdict v;
  v.card = card("a100-40gb", "NVIDIA A100-SXM4-40GB", 39_GiB + 402_MiB);
  v.capacity = v.card.total_memory;
  v.headroom = static_cast<std::int64_t>(v.capacity.count);
  v.reason = "the program failed with exit code 1 before its first optimizer step; its own output is above";
  v.hint = "Fix the error, then run it again.";
  v.seconds = 65;
  v.host_peak_rss = 20_MiB;
  return v;
}

verdict::Counting counted() {
  return {.card = "rtx-3060-12gb",
          .compute = {{1'400'000'000'000, 1'500'000'000'000},
                      {{"convolution", "Net.stem", 400'000'000'000},
                       {"addmm", "Net.head", 100'000'000'000},
                       {"mm", "Net.head", 200'000'000'000},
                       {"bmm", "", 0},
                       {"convolution_backward", "Net.stem", 750'000'000'000},
                       {"bmm", "Net.stem", 50'000'000'000}},
                      {{"_cudnn_rnn", 2}},
                      {2'900'000'000, 3'000'000'000},
                      {{"add", "Net.stem", 2'000'000'000}, {"mm", "Net.head", 1'000'000'000}}},
          .kernels = {{"add_kernel", 2}, {"gemm", 7}},
          .reason = ""};
}

verdict::Counting uncounted() {
  return {.card = "rtx-3060-12gb", .compute = {}, .reason = "it needs PyTorch 2.5 or later"};
}

Verdict with_notes() {
  Verdict v = fitting();
  v.diagnostics.add("stopped_by_timeout");
  v.diagnostics.add("processes_share_device");
  v.diagnostics.add("trace.address_taken_twice", 2);
  for (const char* call : {"cuA", "cuB", "cuC", "cuD", "cuE"}) {
    v.diagnostics.add(std::string("driver.unimplemented.") + call, 3);
  }
  return v;
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::string(DRYFIT_SOURCE_DIR) + "/tests/golden/report-" + name + ".txt";
  if (std::getenv("DRYFIT_REFRESH_GOLDEN")) std::ofstream(path) << text;
  EXPECT_EQ(read(path), text) << path;
}

const std::vector<std::string> kCommand{"python", "train.py"};

std::string shown(std::vector<Verdict> verdicts, Style style = {}) { return terminal_text(verdicts, style); }

std::string shown(std::vector<Verdict> verdicts, const verdict::Counting& counting) {
  return terminal_text(verdicts, {}, counting);
}

TEST(Terminal, One_GPU_that_fits) { expect_golden("fits", shown({fitting()})); }

TEST(Terminal, One_GPU_that_fits_in_colour) { expect_golden("fits-colour", shown({fitting()}, {.colour = true})); }

TEST(Terminal, One_GPU_that_does_not_fit) { expect_golden("does-not-fit", shown({not_fitting()})); }

TEST(Terminal, One_GPU_that_is_tight_says_why) { expect_golden("tight", shown({tight()})); }

TEST(Terminal, A_near_miss_says_so) { EXPECT_NE(shown({near_miss()}).find("! Short by 20.0 MiB"), std::string::npos); }

TEST(Terminal, One_GPU_without_an_answer) { expect_golden("cannot-tell", shown({untold()})); }

TEST(Terminal, Only_a_card_that_fits_has_headroom) {
  auto unsure = fitting();
  unsure.answer = Answer::cannot_tell;
  EXPECT_NE(shown({fitting()}).find("headroom"), std::string::npos);
  EXPECT_EQ(shown({unsure}).find("headroom"), std::string::npos);
  EXPECT_NE(shown({unsure}).find("9.20 GiB"), std::string::npos);
}

TEST(Terminal, Several_GPUs_make_a_table_with_details_of_failures) {
  expect_golden("table", shown({fitting(), not_fitting(), untold()}));
  expect_golden("table-tight", shown({fitting(), tight()}));
}

TEST(Terminal, Work_that_was_counted_is_a_line_and_two_of_what_it_moved_and_launched) {
  expect_golden("compute", shown({fitting()}, counted()) + shown({not_fitting(), fitting()}, counted()));
}

TEST(Terminal, Work_that_is_not_known_says_why) {
  EXPECT_NE(shown({fitting()}, uncounted()).find("compute per step  unknown: it needs PyTorch 2.5 or later\n"),
            std::string::npos);
}

TEST(Terminal, Many_diagnostics_take_three_lines) { expect_golden("notes", shown({with_notes()})); }

TEST(Terminal, Without_UTF_8_every_byte_is_ASCII) {
  const auto text =
      shown({fitting(), not_fitting(), untold()}, {.utf8 = false}) + shown({with_notes()}, {.utf8 = false});
  for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 128) << text;
  expect_golden("ascii", text);
}

/// Lines of a text, and the width of the widest.
std::pair<std::size_t, std::size_t> size_of(const std::string& text) {
  std::istringstream lines(text);
  std::size_t count = 0, widest = 0;
  for (std::string line; std::getline(lines, line); ++count) widest = std::max(widest, width(line));
  return {count, widest};
}

TEST(Terminal, Reports_fit_one_screen) {
  for (const std::size_t columns : {80u, 120u}) {
    for (const auto& verdicts : {std::vector{fitting(), not_fitting(), untold()}, {tight()}, {not_fitting()}}) {
      const auto text = shown(verdicts, {.columns = columns});
      const auto [lines, widest] = size_of(text);
      EXPECT_LE(widest, columns) << text;
      EXPECT_LE(lines, 24u) << text;
    }
  }
}

TEST(Terminal, A_screen_of_a_few_columns_does_no_harm) {
  for (const auto& verdict : {fitting(), not_fitting(), untold(), tight()}) {
    EXPECT_NE(shown({verdict}, {.columns = 1}).find(verdict.card.id), std::string::npos);
    EXPECT_NE(shown({verdict, fitting()}, {.columns = 1}).find(verdict.card.id), std::string::npos);
  }
}

TEST(Terminal, A_wide_screen_shows_more_columns) {
  expect_golden("table-wide", shown({fitting(), not_fitting(), untold()}, {.columns = 120}));
}

TEST(Terminal, A_run_says_that_printed_values_are_not_computed_and_an_estimate_does_not) {
  EXPECT_EQ(values_note(std::vector{fitting()}, {}),
            "  note: printed values such as losses are placeholders; a dry run computes none\n");
  EXPECT_EQ(values_note(std::vector{untold()}, {}), "");
  auto estimated = fitting();
  estimated.estimated = true;
  EXPECT_EQ(values_note(std::vector{estimated}, {}), "");
}

TEST(Json, All_four_answers) {
  const std::vector<Verdict> verdicts{fitting(), not_fitting(), untold(), tight()};
  expect_golden("json", nlohmann::ordered_json::parse(json_text("0.1.0", kCommand, verdicts)).dump(1) + "\n");
}

TEST(Json, Work_by_operator_and_by_module) {
  const auto text = json_text("0.1.0", kCommand, std::vector{fitting()}, counted());
  EXPECT_EQ(nlohmann::ordered_json::parse(text)["compute"].dump(),
            R"({"flops":1500000000000,"steps":[1400000000000,1500000000000],"by_operator":{)"
            R"("convolution_backward":750000000000,"convolution":400000000000,"mm":200000000000,"addmm":100000000000,)"
            R"("bmm":50000000000},"by_module":[{"module":"Net.stem","flops":1200000000000},)"
            R"({"module":"Net.head","flops":300000000000},{"module":"","flops":0}],"uncounted":{"_cudnn_rnn":2},)"
            R"("bytes_moved":3000000000,"bytes_moved_by_operator":{"add":2000000000,"mm":1000000000},)"
            R"("flops_per_byte":500.0,"kernels":{"gemm":7,"add_kernel":2},)"
            R"("card":"rtx-3060-12gb","reason":null})");
}

TEST(Json, Work_that_is_not_known_says_why) {
  const auto text = json_text("0.1.0", kCommand, std::vector{fitting()}, uncounted());
  EXPECT_EQ(nlohmann::ordered_json::parse(text)["compute"].dump(),
            R"({"flops":null,"steps":[],"by_operator":{},"by_module":[],"uncounted":{},)"
            R"("bytes_moved":null,"bytes_moved_by_operator":{},"flops_per_byte":null,"kernels":{},)"
            R"("card":"rtx-3060-12gb","reason":"it needs PyTorch 2.5 or later"})");
}

TEST(Json, Counting_changes_nothing_before_its_own_key) {
  const auto without = json_text("0.1.0", kCommand, std::vector{fitting(), not_fitting()});
  const auto with = json_text("0.1.0", kCommand, std::vector{fitting(), not_fitting()}, counted());
  const auto end = without.size() - std::string_view("}\n").size();
  EXPECT_EQ(with.substr(0, end), without.substr(0, end));
  EXPECT_TRUE(with.substr(end).starts_with(R"(,"compute":{)"));
}

/// The keys of an object in their order.
std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> result;
  for (const auto& item : object.items()) result.push_back(item.key());
  return result;
}

TEST(Json, The_documented_keys_come_first_and_in_order_for_every_answer) {
  using Keys = std::vector<std::string>;
  const Keys documented{
      "card",          "verdict", "steps", "capacity_bytes", "device_peak_bytes",   "headroom_bytes", "torch",
      "outside_torch", "peak_at", "oom",   "seconds",        "host_peak_rss_bytes", "diagnostics"};
  const std::vector<Verdict> verdicts{fitting(), not_fitting(), untold()};
  const auto json = nlohmann::ordered_json::parse(json_text("0.1.0", kCommand, verdicts));
  EXPECT_EQ(keys(json), (Keys{"dryfit", "command", "software", "results"}));
  EXPECT_EQ(keys(json["software"]), (Keys{"python", "torch", "cuda", "cudnn"}));
  for (const auto& result : json["results"]) {
    auto found = keys(result);
    ASSERT_GE(found.size(), documented.size());
    found.resize(documented.size());
    EXPECT_EQ(found, documented);
    EXPECT_EQ(keys(result["torch"]), (Keys{"peak_reserved_bytes", "peak_allocated_bytes", "reserved_after_load_bytes",
                                           "alloc_retries", "ooms"}));
    EXPECT_EQ(keys(result["outside_torch"]),
              (Keys{"context_bytes", "libraries_bytes", "code_bytes", "low_bytes", "high_bytes", "origin", "source"}));
  }
}

TEST(Json, Numbers_nobody_measured_are_null) {
  const auto json = nlohmann::ordered_json::parse(json_text("0.1.0", kCommand, std::vector{untold()}));
  const auto& result = json["results"][0];
  EXPECT_TRUE(result["device_peak_bytes"].is_null());
  EXPECT_TRUE(result["headroom_bytes"].is_null());
  EXPECT_TRUE(result["torch"]["peak_reserved_bytes"].is_null());
  EXPECT_TRUE(result["peak_at"].is_null());
  EXPECT_TRUE(json["software"]["torch"].is_null());
  EXPECT_EQ(result["verdict"], "cannot-tell");
}

TEST(Json, A_command_that_is_not_UTF_8_is_repaired) {
  const auto text = json_text("0.1.0", {"python", "\xff.py"}, std::vector{untold()});
  EXPECT_EQ(nlohmann::json::parse(text)["command"][1], "\xEF\xBF\xBD.py");
}

TEST(Wording, What_a_library_did_without_is_no_note) {
  Diagnostics diagnostics;
  diagnostics.add("driver.no_kernel_image");
  EXPECT_TRUE(diagnostic_lines(diagnostics, {}).empty());
}

TEST(Wording, Values_that_were_only_read_are_one_line) {
  const analysis::Assumption size{.what = "distinct elements", .where = "train.py:9", .assumed = 4, .of = 4};
  const analysis::Assumption metric{.what = "places of the largest values", .where = "metric.py:3"};
  EXPECT_EQ(assumption_lines({size, metric}, {}),
            (std::vector<std::string>{"distinct elements at train.py:9: 4 of 4", "1 more place (see --json)"}));
  EXPECT_EQ(assumption_lines({metric}, {}),
            std::vector<std::string>{
                "values that the program only read, such as a metric: places of the largest values at metric.py:3"});
}

TEST(Wording, Durations_and_moments_read_naturally) {
  EXPECT_EQ(duration_text(4.25), "4.2 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(moment_text({0, "load"}), "loading");
  EXPECT_EQ(moment_text({2, "backward"}), "step 2, backward");
  EXPECT_EQ(library_text("libcublasLt.so.12"), "cuBLASLt");
  EXPECT_EQ(library_text("libmine.so"), "libmine.so");
  EXPECT_EQ(flops_text(0), "0 FLOP");
  EXPECT_EQ(flops_text(999), "999 FLOP");
  EXPECT_EQ(flops_text(999'600), "1.00 MFLOP");
  EXPECT_EQ(flops_text(1'572'000'000'000), "1.57 TFLOP");
  EXPECT_EQ(flops_text(98'760'000'000), "98.8 GFLOP");
}

}  // namespace
}  // namespace dryfit::report
