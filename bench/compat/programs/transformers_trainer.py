# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT-2 with random weights with the Trainer: bf16, accumulation, checkpointing, evaluation."""
import argparse

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--compile", action="store_true")
compiled = parser.parse_args().compile
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_head=4, n_embd=256, vocab_size=5000))
tokens = torch.randint(0, 5000, (64, 128)).tolist()
data = Dataset.from_dict({"input_ids": tokens, "labels": tokens})
arguments = TrainingArguments(
    "out", per_device_train_batch_size=4, gradient_accumulation_steps=2, bf16=True, gradient_checkpointing=not compiled,
    max_steps=6, eval_strategy="steps", eval_steps=2, logging_steps=1, save_steps=2, report_to=[], torch_compile=compiled,
)
trainer = Trainer(model, arguments, train_dataset=data, eval_dataset=data.select(range(8)))
print(trainer.train())
