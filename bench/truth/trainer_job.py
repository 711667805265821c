# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A few steps of Hugging Face's Trainer on a model with random weights, on zeros for inputs and labels."""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from torch import nn
from torch.utils.data import Dataset

import measured

IMAGE_SIZE = 224
LOOP = "adamw-loop"  # one parameter after another, the Trainer's own AdamW until 2022


class SoftmaxOf2022(torch.autograd.Function):
    """Before 1.11 PyTorch kept the input of a softmax too, to know its type in the backward pass."""

    @staticmethod
    def forward(context: Any, scores: torch.Tensor) -> torch.Tensor:
        shares = torch.softmax(scores, dim=-1)
        context.save_for_backward(scores, shares)
        return shares

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        scores, shares = context.saved_tensors
        return torch._softmax_backward_data(gradient, shares, -1, scores.dtype)


def softmax_of_2022(scores: torch.Tensor, dim: int) -> torch.Tensor:
    """Only over the last dimension; autocast computes it in fp32."""
    return SoftmaxOf2022.apply(scores.float())


class Model(NamedTuple):
    config: str
    fields: dict[str, Any] = {}


MODELS = {
    "bert-base-uncased": Model("BertConfig"),
    "bert-large-uncased": Model(
        "BertConfig",
        {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
    ),
    "distilbert-base-uncased": Model("DistilBertConfig"),
    "roberta-base": Model(
        "RobertaConfig", {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
    ),
    "gpt2": Model("GPT2Config"),
    "vit-base-patch16-224": Model("ViTConfig"),
}
TASKS = {
    "fill-mask": "MaskedLM",
    "text-generation": "CausalLM",
    "text-classification": "SequenceClassification",
    "token-classification": "TokenClassification",
    "question-answering": "QuestionAnswering",
    "image-classification": "ImageClassification",
}


class Zeros(Dataset):
    """Samples of one shape, as the benchmark's dummy data."""

    def __init__(self, task: str, model: str, length: int, size: int):
        self.size = size
        self.sample = sample_of(task, model, length)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return self.sample


def sample_of(task: str, model: str, length: int) -> dict[str, torch.Tensor]:
    tokens = torch.zeros(length, dtype=torch.int64)
    one = torch.zeros((), dtype=torch.int64)
    labels = {
        "text-classification": {"labels": one},
        "image-classification": {"labels": one},
        "question-answering": {"start_positions": one, "end_positions": one},
    }.get(task, {"labels": tokens})
    if task == "image-classification":
        return {"pixel_values": torch.zeros(3, IMAGE_SIZE, IMAGE_SIZE), **labels}
    kinds = {"token_type_ids": tokens} if model.startswith("bert") else {}
    return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), **kinds, **labels}


def build(options: argparse.Namespace) -> nn.Module:
    known = MODELS[options.model]
    config = getattr(transformers, known.config)(**known.fields)
    auto = getattr(transformers, "AutoModelFor" + TASKS[options.task])
    attention = {"attn_implementation": options.attention} if options.attention else {}
    model = auto.from_config(config, **attention).to("cuda")
    if options.of_2022:
        nn.functional.softmax = softmax_of_2022
        model.zero_grad = partial(model.zero_grad, set_to_none=False)
    return model


def arguments_of(options: argparse.Namespace, folder: str) -> transformers.TrainingArguments:
    return transformers.TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=options.batch,
        gradient_accumulation_steps=options.accumulation,
        gradient_checkpointing=options.checkpointing,
        fp16=options.fp16,
        optim="adamw_torch" if options.optimizer == LOOP else options.optimizer,
        max_steps=options.steps,
        save_strategy="no",
        report_to="none",
    )


def train(model: nn.Module, options: argparse.Namespace) -> None:
    samples = Zeros(options.task, options.model, options.length, options.samples)
    with tempfile.TemporaryDirectory() as folder:
        optimizer = torch.optim.AdamW(model.parameters(), foreach=False) if options.optimizer == LOOP else None
        transformers.Trainer(
            model=model,
            optimizers=(optimizer, None),
            args=arguments_of(options, folder),
            train_dataset=samples,
            data_collator=transformers.default_data_collator,
        ).train()


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, choices=sorted(MODELS))
    parser.add_argument("--task", required=True, choices=sorted(TASKS))
    parser.add_argument("--attention", choices=("eager", "sdpa"))
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--length", type=int, default=16, help="tokens of a sample")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--accumulation", type=int, default=1)
    parser.add_argument("--checkpointing", action="store_true")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--optimizer", default="adamw_torch", help=f"as the Trainer calls it, or {LOOP}")
    parser.add_argument("--of-2022", action="store_true", help="as PyTorch 1.10: gradients are zeroed and kept")
    parser.add_argument("--steps", type=int, default=5, help="of the optimizer; 0: the model is put on the card only")
    parser.add_argument("--out", required=True, type=Path, help="folder for measured.json")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    model = build(options)
    if options.steps:
        train(model, options)
    peaks = {
        "peak_allocated": torch.cuda.max_memory_allocated(),
        "peak_reserved": torch.cuda.max_memory_reserved(),
    }
    measured.write(options.out, peaks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
