# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains sentence embeddings with in-batch negatives."""
from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments, models
from sentence_transformers.losses import MultipleNegativesRankingLoss

words = models.Transformer("model", max_seq_length=64)
model = SentenceTransformer(modules=[words, models.Pooling(words.get_word_embedding_dimension())], device="cuda")
rows = [{"anchor": f"w{n} w1 w2", "positive": f"w{n} w3 w4"} for n in range(64)]
arguments = SentenceTransformerTrainingArguments("out", max_steps=5, per_device_train_batch_size=16, report_to=[])
criterion = MultipleNegativesRankingLoss(model)
trainer = SentenceTransformerTrainer(model, arguments, train_dataset=Dataset.from_list(rows), loss=criterion)
print(trainer.train())
print(model.encode(["w1 w2", "w3"]).shape)
