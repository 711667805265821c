# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with GRPO: completions are sampled and rewarded in each step."""
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def reward(completions, **_):
    return [float(len(set(text))) for text in completions]


tokenizer = AutoTokenizer.from_pretrained("model", model_input_names=["input_ids", "attention_mask"])
trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    reward_funcs=reward,
    args=GRPOConfig("out", per_device_train_batch_size=4, num_generations=4, max_completion_length=16, max_steps=4,
                    report_to=[]),
    train_dataset=Dataset.from_list([{"prompt": f"w{n} w{n + 1}"} for n in range(32)]),
    processing_class=tokenizer,
)
print(trainer.train())
