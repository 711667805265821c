# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with speechbrain's Brain on filter banks."""
import speechbrain as sb
import torch
from speechbrain.lobes.features import Fbank
from speechbrain.processing.features import InputNormalization


class Classifier(sb.Brain):
    def compute_forward(self, batch, stage):
        features = self.modules.features(batch[0].to(self.device))
        features = self.modules.normalize(features, torch.ones(len(features), device=self.device))
        return self.modules.model(features.mean(1))

    def compute_objectives(self, predictions, batch, stage):
        return torch.nn.functional.cross_entropy(predictions, batch[1].to(self.device))


modules = {"features": Fbank(n_mels=40), "normalize": InputNormalization(norm_type="sentence"),
           "model": torch.nn.Sequential(torch.nn.Linear(40, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))}
brain = Classifier(modules, lambda parameters: torch.optim.Adam(parameters, 1e-3), run_opts={"device": "cuda:0"})
data = torch.utils.data.TensorDataset(torch.randn(48, 16000), torch.randint(0, 10, (48,)))
brain.fit(range(1), torch.utils.data.DataLoader(data, batch_size=8), progressbar=False)
print(brain.avg_train_loss)
