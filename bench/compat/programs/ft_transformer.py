# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an FT-Transformer on a random table."""
import torch
from rtdl_revisiting_models import FTTransformer

settings = FTTransformer.get_default_kwargs(n_blocks=2)
model = FTTransformer(n_cont_features=10, cat_cardinalities=[5, 20, 100], d_out=1, **settings).cuda()
optimizer = model.make_default_optimizer()
for step in range(10):
    numbers, codes = torch.randn(256, 10).cuda(), torch.stack([torch.randint(0, n, (256,)) for n in (5, 20, 100)], 1).cuda()
    loss = torch.nn.functional.mse_loss(model(numbers, codes).squeeze(1), torch.randn(256).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
