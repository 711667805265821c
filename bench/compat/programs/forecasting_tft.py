# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a temporal fusion transformer of pytorch-forecasting."""
import lightning.pytorch as pl
import numpy as np
import pandas as pd
from pytorch_forecasting import QuantileLoss, TemporalFusionTransformer, TimeSeriesDataSet

frame = pd.DataFrame({"time": np.tile(np.arange(100), 8), "series": np.repeat([str(n) for n in range(8)], 100),
                      "value": np.random.default_rng(0).standard_normal(800).cumsum()})
data = TimeSeriesDataSet(frame, time_idx="time", target="value", group_ids=["series"], max_encoder_length=24,
                         max_prediction_length=6, time_varying_unknown_reals=["value"], time_varying_known_reals=["time"])
model = TemporalFusionTransformer.from_dataset(data, hidden_size=16, attention_head_size=2, loss=QuantileLoss())
trainer = pl.Trainer(max_epochs=1, accelerator="gpu", devices=1, gradient_clip_val=0.1, enable_progress_bar=False)
trainer.fit(model, data.to_dataloader(train=True, batch_size=32), data.to_dataloader(train=False, batch_size=32))
