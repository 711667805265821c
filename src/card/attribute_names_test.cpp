// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/attribute_names.h"

#include <gtest/gtest.h>

namespace dryfit {
namespace {

TEST(AttributeNames, Names_and_numbers_lead_to_each_other) {
  for (const auto& [number, name] : attribute_names()) {
    EXPECT_EQ(attribute_number(name), number) << name;
    EXPECT_EQ(attribute_name(number), name) << number;
  }
}

TEST(AttributeNames, The_numbers_are_those_of_the_header) {
  EXPECT_EQ(attribute_number("max_threads_per_block"), 1);
  EXPECT_EQ(attribute_number("multiprocessor_count"), 16);
  EXPECT_EQ(attribute_number("virtual_memory_management_supported"), 102);
  EXPECT_EQ(attribute_number("gpu_direct_rdma_with_localized_memory_supported"), 161);
}

TEST(AttributeNames, What_the_header_does_not_have_is_not_found) {
  EXPECT_EQ(attribute_number("multiprocessors"), std::nullopt);
  EXPECT_EQ(attribute_number(""), std::nullopt);
  EXPECT_EQ(attribute_name(0), "");
  EXPECT_EQ(attribute_name(159), "");
  EXPECT_EQ(attribute_name(9999), "");
}

}  // namespace
}  // namespace dryfit
