# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One forward and backward pass through a 4-bit Llama with LoRA adapters, as cranberrii recorded it.

The libraries do the work: the model is loaded from a checkpoint of the published shape, quantized while it is loaded,
prepared for training and given adapters. The checkpoint holds no learned values.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from pathlib import Path
from typing import Optional

import torch
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from transformers import BitsAndBytesConfig, LlamaConfig, LlamaForCausalLM
from transformers.modeling_utils import no_init_weights

from recording import Recording

# TinyLlama 1.1B, as its published configuration has it.
SHAPE = {
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
}
LORA_RANK = 16
LORA_DROPOUT = 0.05


def write_checkpoint(folder: str, vocabulary: int) -> None:
    config = LlamaConfig(vocab_size=vocabulary, torch_dtype=torch.float16, **SHAPE)
    torch.set_default_dtype(torch.float16)
    with no_init_weights():
        LlamaForCausalLM(config).save_pretrained(folder)
    torch.set_default_dtype(torch.float32)


def load_quantized(vocabulary: int) -> LlamaForCausalLM:
    with tempfile.TemporaryDirectory() as folder:
        write_checkpoint(folder, vocabulary)
        return LlamaForCausalLM.from_pretrained(
            folder,
            device_map={"": 0},
            torch_dtype=torch.float16,
            quantization_config=BitsAndBytesConfig(load_in_4bit=True),
        )


def prepare(vocabulary: int) -> PeftModel:
    model = load_quantized(vocabulary)
    model.config.use_cache = False
    model = prepare_model_for_kbit_training(model)
    return get_peft_model(model, LoraConfig(r=LORA_RANK, lora_dropout=LORA_DROPOUT, task_type="CAUSAL_LM"))


def run(options: argparse.Namespace, out: Optional[Path]) -> None:
    model = prepare(options.vocabulary)
    ids = torch.randint(0, options.vocabulary, (options.batch, options.ctx)).to("cuda")
    recording = Recording(out) if out else None
    outputs = model(input_ids=ids, labels=ids)
    loss = outputs.loss
    loss.backward()
    if recording:
        recording.finish()


def run_earlier(options: argparse.Namespace) -> None:
    """The session had run the same cells before: the matrix library's workspaces stayed behind, nothing else."""
    run(options, None)
    gc.collect()
    torch.cuda.empty_cache()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--vocabulary", "--batch", "--ctx"):
        parser.add_argument(name, required=True, type=int)
    parser.add_argument("--out", required=True, type=Path, help="folder for the recording")
    options = parser.parse_args()
    run_earlier(options)
    run(options, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
