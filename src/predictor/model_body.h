// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "predictor/boosted_trees.h"
#include "predictor/model_frame.h"

namespace dryfit::predictor {

/// Note [Model body]
/// A visit goes over a part of a model in the order of the file, with a BodyWriter to write it or a BodyReader to read
/// it, so that both agree. A visit that returns a bool reports whether the values it read are possible.

/// Every element of a list goes through `each`, which is a visit that returns a bool; with a BodyReader the list is
/// made as long as the file says, or up to the first element that is not sound.
template <class File, class List, class Each>
bool visit_all(File& file, List& list, Each each) {
  auto count = list.size();
  file.size(count);
  if constexpr (std::is_const_v<List>) {
    for (auto& element : list) {
      if (!each(element)) return false;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      if (file.failed() || !each(list.emplace_back())) return false;
    }
  }
  return true;
}

template <class File, class Lists>
bool visit_lists(File& file, Lists& lists) {
  return visit_all(file, lists, [&](auto& list) { return file.list(list), true; });
}

/// One of an enum's values from 0 to `last`, as a size.
template <class File, class Choice>
bool visit_choice(File& file, Choice& choice, std::remove_const_t<Choice> last) {
  auto number = static_cast<std::size_t>(choice);
  file.size(number);
  if (number > static_cast<std::size_t>(last)) return false;
  if constexpr (!std::is_const_v<Choice>) choice = static_cast<Choice>(number);
  return true;
}

template <class File, class Card>
void visit_card(File& file, Card& card) {
  for (auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) file.text(*text);
}

template <class File, class Scaler>
void visit_scaler(File& file, Scaler& scaler) {
  file.list(scaler.mean);
  file.list(scaler.scale);
}

template <class File, class Shape>
void visit_shape(File& file, Shape& shape) {
  for (auto* size : {&shape.job_features, &shape.token_features, &shape.token_maps, &shape.most_tokens, &shape.width,
                     &shape.gru_units, &shape.layers, &shape.heads, &shape.feed_forward, &shape.hidden}) {
    file.size(*size);
  }
}

static_assert(sizeof(TreeNode) == 8 && std::is_trivially_copyable_v<TreeNode>, "nodes are written as they lie");

template <class File, class Sets>
bool visit_trees(File& file, Sets& sets) {
  return visit_all(file, sets, [&](auto& trees) {
    file.size(trees.features);
    file.number(trees.start);
    file.list(trees.roots);
    file.list(trees.nodes);
    return true;
  });
}

/// The bytes of a whole file; `visit` goes over the whole model.
template <class Model, class Visit>
std::string model_bytes(const ModelKind& kind, const Model& model, Visit visit) {
  BodyWriter writer;
  visit(writer, model);
  return framed(kind, writer.take());
}

/// An Error if the bytes are not such a model, of a newer version, cut off or damaged.
template <class Model, class Visit>
Result<Model> model_in(const ModelKind& kind, std::string_view bytes, const std::string& name, Visit visit) {
  const auto body = body_in(kind, bytes, name);
  if (!body) return body.error();
  BodyReader reader(*body);
  Model model;
  if (!visit(reader, model) || reader.failed() || !reader.at_end()) return damaged_model(name);
  return model;
}

}  // namespace dryfit::predictor
