// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/driver_release.h"

namespace dryfit::nvml {
namespace {

struct Release {
  int cuda_version;
  std::string_view driver;
};

constexpr Release kReleases[] = {
    {11000, "450.51.05"}, {11010, "455.23"},    {11020, "460.27.03"}, {11030, "465.19.01"}, {11040, "470.42.01"},
    {11050, "495.29.05"}, {11060, "510.39.01"}, {11070, "515.43.04"}, {11080, "520.61.05"}, {12000, "525.60.13"},
    {12010, "530.30.02"}, {12020, "535.54.03"}, {12030, "545.23.06"}, {12040, "550.54.14"}, {12050, "555.42.02"},
    {12060, "560.28.03"}, {12080, "570.26"},    {12090, "575.51.03"}, {13000, "580.65.06"}, {13010, "590.44.01"},
    {13020, "595.45.04"}, {13040, "610.43.03"},
};

}  // namespace

std::string_view driver_release(int cuda_version) {
  std::string_view driver = kReleases[0].driver;
  for (const auto& release : kReleases) {
    if (release.cuda_version <= cuda_version) driver = release.driver;
  }
  return driver;
}

}  // namespace dryfit::nvml
