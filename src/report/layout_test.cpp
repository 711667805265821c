// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <gtest/gtest.h>

#include "report/bar.h"
#include "report/needs.h"
#include "report/table.h"

namespace dryfit::report {
namespace {

using namespace literals;
using verdict::Answer;
using verdict::Verdict;

TEST(Layout, Lines_break_at_spaces_and_go_on_indented) {
  EXPECT_EQ(wrapped("one two three", "- ", "  ", {.columns = 9}), "- one two\n  three\n");
  EXPECT_EQ(wrapped("averylongword x", "", "  ", {.columns = 5}), "averylongword\n  x\n");
  EXPECT_EQ(wrapped("", "head", "  ", {}), "head\n");
}

TEST(Layout, A_number_stays_with_its_unit) {
  EXPECT_EQ(wrapped("this GPU has 7.75 GiB.", "", "", {.columns = 17}), "this GPU has\n7.75 GiB.\n");
  EXPECT_EQ(wrapped("derived ± 20.0 MiB, measured", "", "", {.columns = 15}), "derived\n± 20.0 MiB,\nmeasured\n");
}

TEST(Layout, A_long_name_loses_its_middle) {
  EXPECT_EQ(shortened("model.layers.0.self_attn.q_proj", 15, {}), "model.l….q_proj");
  EXPECT_EQ(shortened("model.layers.0.self_attn.q_proj", 15, {.utf8 = false}), "model....q_proj");
  EXPECT_EQ(shortened("fits", 4, {}), "fits");
  EXPECT_EQ(shortened("äöüäöü", 5, {}), "äö…öü");
}

TEST(Layout, A_clause_becomes_a_sentence_unless_it_begins_with_a_name) {
  EXPECT_EQ(sentence("short by 18.1 MiB"), "Short by 18.1 MiB.");
  EXPECT_EQ(sentence("cuDNN fell back"), "cuDNN fell back.");
  EXPECT_EQ(sentence("torch.compile was used"), "torch.compile was used.");
  EXPECT_EQ(sentence("Fix the error."), "Fix the error.");
}

TEST(Table, Columns_that_have_no_room_are_left_out_and_counted) {
  const std::vector<std::vector<Cell>> rows{
      {{"t4-16gb"}, {.text = "NVIDIA Tesla T4", .shrinks = true}, {"14.57 GiB"}, {"measured"}, {"7.5"}},
      {{"a100-40gb"}, {.text = "NVIDIA A100-SXM4-40GB", .shrinks = true}, {"39.56 GiB"}, {"measured"}, {"8.0"}}};
  EXPECT_EQ(fitted(rows, 2, {.columns = 58}), aligned(rows, {}));
  EXPECT_EQ(fitted(rows, 2, {.columns = 57}),
            "t4-16gb    NVIDIA Tesla T4        14.57 GiB  measured\n"
            "a100-40gb  NVIDIA A100-SXM4-40GB  39.56 GiB  measured\n"
            "A wider terminal shows 1 more column.\n");
  EXPECT_EQ(fitted(rows, 2, {.columns = 45}),
            "t4-16gb    NVIDIA Tesla T4        14.57 GiB\n"
            "a100-40gb  NVIDIA A100-SXM4-40GB  39.56 GiB\n"
            "A wider terminal shows 2 more columns.\n");
  EXPECT_EQ(fitted(rows, 3, {.columns = 40}),
            "t4-16gb    NVIDIA Tesla T4     14.57 GiB\n"
            "a100-40gb  NVIDIA A1…XM4-40GB  39.56 GiB\n"
            "A wider terminal shows 2 more columns.\n");
}

TEST(Table, Names_shrink_where_the_screen_is_narrow) {
  const std::vector<std::vector<Cell>> rows{
      {{.text = "transformer.encoder.layer.attention", .shrinks = true}, {"1.00 GiB", Align::right}}};
  EXPECT_EQ(aligned(rows, {}), "transformer.encoder.layer.attention  1.00 GiB\n");
  EXPECT_EQ(aligned(rows, {.columns = 30}), "transforme…attention  1.00 GiB\n");
}

TEST(Bar, Parts_fill_it_in_proportion_and_small_ones_show) {
  const Bar bar{.parts = {{Fill::torch, 50_MiB}, {Fill::outside, 1_MiB}}, .limit = 100_MiB};
  EXPECT_EQ(bar_text(bar, 10, {}), "████▓░░░░░");
  EXPECT_EQ(bar_text(bar, 10, {.utf8 = false}), "####=.....");
}

TEST(Bar, What_lies_beyond_the_limit_comes_after_a_mark) {
  const Bar bar{.parts = {{Fill::torch, 80_MiB}, {Fill::request, 40_MiB}}, .limit = 100_MiB};
  EXPECT_EQ(bar_text(bar, 13, {}), "████████▒▒│▒▒");
  EXPECT_EQ(width(bar_text(bar, 13, {.colour = true})), 13u);
  const Bar barely{.parts = {{Fill::torch, 100_MiB}, {Fill::request, 1_B}}, .limit = 100_MiB};
  EXPECT_EQ(bar_text(barely, 11, {}), "█████████│▒");
}

TEST(Printable, Nothing_in_a_name_reaches_the_terminal_as_an_order) {
  EXPECT_EQ(printable("model.layers.0"), "model.layers.0");
  EXPECT_EQ(printable("größer → ± 漢"), "größer → ± 漢");
  EXPECT_EQ(printable("x\nfits\r\t"), "x\\nfits\\r\\t");
  EXPECT_EQ(printable("\033[2J\033]0;title\a\x7f"), "\\x1b[2J\\x1b]0;title\\x07\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J")
      << "the same order in one character";
  EXPECT_EQ(printable_lines("a\n\033[2Jb\n"), "a\n\\x1b[2Jb\n");
}

TEST(Printable, A_name_makes_no_line_of_its_own_in_a_table_or_a_paragraph) {
  const std::string name = "net\n\xe2\x9c\x94 fits\033[2K";
  for (const bool colour : {false, true}) {
    const Style style{.colour = colour};
    for (const auto& text : {aligned({{{name}, {"1 MiB"}}}, style), wrapped("the module " + name, "  ", "    ", style),
                             wrapped("the module " + name, "  ", "    ", Paint::faint, style)}) {
      EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
      EXPECT_EQ(text.find("\033[2K"), std::string::npos) << text;
    }
  }
}

TEST(Printable, Colours_of_our_own_stay) {
  const Style style{.colour = true};
  const auto bar = painted("###", Paint::good, style);
  EXPECT_EQ(aligned({{{bar}}}, style), bar + "\n");
}

Verdict ended(Answer answer, std::string id, Bytes capacity, Bytes peak) {
  Verdict verdict;
  verdict.answer = answer;
  verdict.card.id = std::move(id);
  verdict.capacity = verdict.card.total_memory = capacity;
  verdict.device_peak = peak;
  verdict.device_used = true;
  return verdict;
}

TEST(Needs, A_need_is_known_from_the_smallest_GPU_on_which_the_job_fits) {
  const std::vector<Verdict> all{ended(Answer::does_not_fit, "small", 8_GiB, 7_GiB),
                                 ended(Answer::fits, "large", 80_GiB, 10_GiB),
                                 ended(Answer::fits, "middle", 12_GiB, 9_GiB)};
  const auto need = need_of(all[0], all);
  ASSERT_TRUE(need);
  EXPECT_EQ(need_sentence(*need, all[0]), "Needs about 9.00 GiB, as counted on middle; this GPU has 8.00 GiB.");
  EXPECT_FALSE(need_of(all[1], all)) << "it fits";
}

TEST(Needs, Nothing_is_said_where_it_is_unknown) {
  auto retried = ended(Answer::tight, "retried", 12_GiB, 9_GiB);
  retried.alloc_retries = 1;
  const std::vector<Verdict> all{ended(Answer::does_not_fit, "small", 8_GiB, 7_GiB), retried,
                                 ended(Answer::cannot_tell, "unknown", 12_GiB, 9_GiB)};
  EXPECT_FALSE(need_of(all[0], all));
  const std::vector<Verdict> less{all[0], ended(Answer::fits, "odd", 12_GiB, 7_GiB)};
  EXPECT_FALSE(need_of(less[0], less)) << "that this is enough would puzzle";
}

TEST(Needs, Amounts_share_a_unit_where_they_can) {
  EXPECT_EQ(amount_of(9_GiB, 12_GiB, "~"), "~9.00 of 12.00 GiB");
  EXPECT_EQ(amount_of(900_MiB, 12_GiB, ""), "900 MiB of 12.00 GiB");
}

}  // namespace
}  // namespace dryfit::report
