# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on preferences with TRL: dpo or kto."""
import sys

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

model, reference = (AutoModelForCausalLM.from_pretrained("model") for _ in range(2))
tokenizer = AutoTokenizer.from_pretrained("model")
arguments = dict(output_dir="out", per_device_train_batch_size=4, max_steps=5, report_to=[], logging_steps=1)
if sys.argv[1] == "dpo":
    from trl import DPOConfig, DPOTrainer

    rows = [{"prompt": f"w{n} w2", "chosen": "w3 w4 w5", "rejected": f"w6 w{n}"} for n in range(32)]
    arguments, trainer_class = DPOConfig(**arguments), DPOTrainer
else:
    from trl import KTOConfig, KTOTrainer

    rows = [{"prompt": f"w{n} w2", "completion": "w3 w4 w5", "label": n % 2 == 0} for n in range(32)]
    arguments, trainer_class = KTOConfig(**arguments), KTOTrainer
trainer = trainer_class(model, reference, args=arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
print(trainer.train())
