// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdint>
#include <memory>

#include "base/check.h"
#include "latency_contestants.h"
#include "predictor/features.h"

namespace dryfit::bench {
namespace {

using predictor::FeatureSet;

/// Rows of features, as 32-bit and as 64-bit numbers.
template <class Number>
std::vector<std::vector<Number>> rows_of(const Questions& questions, const std::string& features) {
  const auto set = features == "plain" ? FeatureSet::plain : FeatureSet::layers;
  std::vector<std::vector<Number>> rows;
  for (const auto& job : questions.jobs) {
    const auto row = predictor::features_of(job, set);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

/// A library that stays loaded, and its functions by name.
class Library {
 public:
  explicit Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

  explicit operator bool() const { return handle_ != nullptr; }

  template <class Function>
  Function* function(const char* name) const {
    auto* found = reinterpret_cast<Function*>(dlsym(handle_, name));
    DRYFIT_CHECK(found != nullptr);
    return found;
  }

 private:
  void* handle_;
};

/// XGBoost 3.2: XGBoosterPredictFromDense, which reads the row in place.
Contestant xgboost(const Library& library, const TreeModel& tree, const Questions& questions) {
  using Handle = void*;
  void* booster = nullptr;
  const auto create = library.function<int(const Handle*, std::uint64_t, Handle*)>("XGBoosterCreate");
  const auto load = library.function<int(Handle, const char*)>("XGBoosterLoadModel");
  const auto set = library.function<int(Handle, const char*, const char*)>("XGBoosterSetParam");
  const auto predict = library.function<int(Handle, const char*, const char*, Handle, const std::uint64_t**,
                                            std::uint64_t*, const float**)>("XGBoosterPredictFromDense");
  DRYFIT_CHECK(create(nullptr, 0, &booster) == 0);
  DRYFIT_CHECK(load(booster, tree.model.c_str()) == 0);
  DRYFIT_CHECK(set(booster, "nthread", "1") == 0);
  auto rows = std::make_shared<std::vector<std::vector<float>>>(rows_of<float>(questions, tree.features));
  std::vector<std::string> interfaces;
  for (const auto& row : *rows) {
    interfaces.push_back("{\"data\": [" + std::to_string(reinterpret_cast<std::uintptr_t>(row.data())) +
                         ", true], \"shape\": [1, " + std::to_string(row.size()) +
                         "], \"typestr\": \"<f4\", \"version\": 3}");
  }
  const std::string config = R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,
                                 "strict_shape": false, "cache_id": 0, "missing": NaN})";
  return {"XGBoost", tree.features, [=, kept = std::move(rows)](std::size_t i) {
            const std::uint64_t* shape = nullptr;
            std::uint64_t dimensions = 0;
            const float* answer = nullptr;
            DRYFIT_CHECK(
                predict(booster, interfaces[i].c_str(), config.c_str(), nullptr, &shape, &dimensions, &answer) == 0);
            return static_cast<double>(*answer);
          }};
}

/// LightGBM 4.7: LGBM_BoosterPredictForMatSingleRowFast, prepared once.
Contestant lightgbm(const Library& library, const TreeModel& tree, const Questions& questions) {
  using Handle = void*;
  constexpr int kNormal = 0;
  constexpr int kFloat64 = 1;
  void* booster = nullptr;
  void* prepared = nullptr;
  int iterations = 0;
  const auto load = library.function<int(const char*, int*, Handle*)>("LGBM_BoosterCreateFromModelfile");
  const auto prepare = library.function<int(Handle, int, int, int, int, std::int32_t, const char*, Handle*)>(
      "LGBM_BoosterPredictForMatSingleRowFastInit");
  const auto predict =
      library.function<int(Handle, const void*, std::int64_t*, double*)>("LGBM_BoosterPredictForMatSingleRowFast");
  const auto rows = rows_of<double>(questions, tree.features);
  const auto columns = static_cast<std::int32_t>(rows.front().size());
  DRYFIT_CHECK(load(tree.model.c_str(), &iterations, &booster) == 0);
  DRYFIT_CHECK(prepare(booster, kNormal, 0, -1, kFloat64, columns, "num_threads=1", &prepared) == 0);
  return {"LightGBM", tree.features, [=](std::size_t i) {
            std::int64_t length = 0;
            double answer = 0;
            DRYFIT_CHECK(predict(prepared, rows[i].data(), &length, &answer) == 0 && length == 1);
            return answer;
          }};
}

/// CatBoost 1.2: the model as C++ code that CatBoost writes, compiled by bench/latency.
Contestant catboost(const Library& library, const TreeModel& tree, const Questions& questions) {
  const auto predict = library.function<double(const float*, std::size_t)>("catboost_answer");
  const auto rows = rows_of<float>(questions, tree.features);
  return {"CatBoost", tree.features, [=](std::size_t i) { return predict(rows[i].data(), rows[i].size()); }};
}

}  // namespace

Result<Contestant> tree(const TreeModel& model, const Questions& questions) {
  const Library library(model.library);
  if (!library) return Error{"cannot load '" + model.library + "': " + dlerror(), "Run `make venv-comparators`."};
  if (model.kind == "xgboost") return xgboost(library, model, questions);
  if (model.kind == "lightgbm") return lightgbm(library, model, questions);
  if (model.kind == "catboost") return catboost(library, model, questions);
  return Error{"unknown kind of tree model '" + model.kind + "'", "Give xgboost, lightgbm or catboost."};
}

}  // namespace dryfit::bench
