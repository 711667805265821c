// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/feature_table.h"

#include <gtest/gtest.h>

#include "predictor/table.h"

namespace dryfit::predictor {
namespace {

DataSet featured_rows() {
  DataSet data{.feature_names = {"x", "a, b"}, .base_is_feature = true};
  data.examples = {{7, "one", 0.1, {1, 2}}, {9, "t\"wo", 30, {3, 1.0 / 3}}};
  data.folds = {.rows = {0, 1}, .folds = {0, 1}, .count = 2};
  data.bases = {{1, 2}, {1, 4}};
  return data;
}

TEST(FeatureTable, Every_example_is_there_once_per_fold_with_that_folds_base) {
  DataSet data = featured_rows();
  data.bases = {{1, 1}, {1, 1}};
  data.examples[1].features = {3, 4};
  data.bases[1][0] = 2;
  data.base_is_feature = false;
  EXPECT_EQ(feature_table(data),
            "fold,part,row,group,truth,base,x,\"a, b\"\n"
            "0,test,7,one,0.1,1,1,2\n"
            "0,train,9,\"t\"\"wo\",30,1,3,4\n"
            "1,train,7,one,0.1,2,1,2\n"
            "1,test,9,\"t\"\"wo\",30,1,3,4\n");
}

TEST(FeatureTable, What_is_read_back_is_what_was_written) {
  const auto data = featured_rows();
  const auto table = parse_table(feature_table(data), "f.csv");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ((*table->numbers("a, b"))[3], 1.0 / 3);
  EXPECT_EQ((*table->numbers("log base"))[3], inputs_of(data, 1, 1)[2]);
  EXPECT_EQ((*table->texts("group"))[3], "t\"wo");
}

}  // namespace
}  // namespace dryfit::predictor
