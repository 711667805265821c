// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/visible_devices.h"

#include <gtest/gtest.h>

#include "card/identity.h"

namespace dryfit::driver {
namespace {

using Indices = std::vector<int>;

TEST(VisibleDevices, Without_the_variable_all_are_visible) {
  EXPECT_EQ(visible_devices(nullptr, 3).indices, (Indices{0, 1, 2}));
}

TEST(VisibleDevices, Numbers_choose_and_order) { EXPECT_EQ(visible_devices("2, 0", 3).indices, (Indices{2, 0})); }

TEST(VisibleDevices, The_list_ends_at_the_first_entry_that_is_not_a_device) {
  const auto visible = visible_devices("0,7,1", 3);
  EXPECT_EQ(visible.indices, Indices{0});
  EXPECT_TRUE(visible.named_absent_device);
}

TEST(VisibleDevices, Empty_and_minus_one_hide_all_on_purpose) {
  for (const char* const hidden : {"", "-1", "NoDevFiles"}) {
    EXPECT_TRUE(visible_devices(hidden, 2).indices.empty()) << hidden;
    EXPECT_FALSE(visible_devices(hidden, 2).named_absent_device) << hidden;
  }
}

TEST(VisibleDevices, A_unique_beginning_of_a_uuid_is_enough) {
  const std::string uuid = "GPU-" + device_uuid_text(1);
  EXPECT_EQ(visible_devices(uuid.c_str(), 2).indices, Indices{1});
  EXPECT_EQ(visible_devices(uuid.substr(0, 12).c_str(), 2).indices, Indices{1});
}

TEST(VisibleDevices, A_device_named_twice_hides_all) { EXPECT_TRUE(visible_devices("1,1", 2).indices.empty()); }

}  // namespace
}  // namespace dryfit::driver
