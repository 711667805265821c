# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Saves a small Llama with random weights and a tokenizer to model, and small data sets to data and alpaca."""
import json
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

words = ["<pad>", "<s>", "</s>", "<unk>", *(f"w{number}" for number in range(996))]
tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
                               unk_token="<unk>", padding_side="left")
fast.chat_template = "{% for message in messages %}{{ message['content'] }} {% endfor %}"
fast.save_pretrained("model")
config = LlamaConfig(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, vocab_size=1000,
                     pad_token_id=0, bos_token_id=1, eos_token_id=2)
LlamaForCausalLM(config).save_pretrained("model")
sentences = [" ".join(f"w{(7 * row + column) % 990}" for column in range(10 + row % 30)) for row in range(64)]
Path("data").mkdir()
Path("data/train.jsonl").write_text("".join(json.dumps({"text": sentence}) + "\n" for sentence in sentences))
Path("alpaca.json").write_text(json.dumps([{"instruction": s, "input": "", "output": s} for s in sentences]))
Path("dataset_info.json").write_text(json.dumps({"alpaca": {"file_name": "alpaca.json"}}))
