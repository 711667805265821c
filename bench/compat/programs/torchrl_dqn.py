# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains DQN with torchrl: a collector, a replay buffer on the GPU, a soft update."""
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import SyncDataCollector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.envs import GymEnv, StepCounter, TransformedEnv
from torchrl.modules import EGreedyModule, MLP, QValueModule
from torchrl.objectives import DQNLoss, SoftUpdate

env = TransformedEnv(GymEnv("CartPole-v1", device="cuda"), StepCounter())
net = MLP(out_features=2, num_cells=[64, 64], device="cuda")
value = TensorDictModule(net, in_keys=["observation"], out_keys=["action_value"])
policy = TensorDictSequential(value, QValueModule(spec=env.action_spec))
explore = TensorDictSequential(policy, EGreedyModule(env.action_spec, annealing_num_steps=1000).to("cuda"))
policy(env.reset())
criterion = DQNLoss(policy, action_space=env.action_spec, delay_value=True)
update = SoftUpdate(criterion, eps=0.99)
optimizer = torch.optim.Adam(criterion.parameters(), lr=1e-3)
buffer = ReplayBuffer(storage=LazyTensorStorage(2000, device="cuda"), batch_size=64)
for step, frames in enumerate(SyncDataCollector(env, explore, frames_per_batch=64, total_frames=512)):
    buffer.extend(frames)
    loss = criterion(buffer.sample())["loss"]
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    update.step()
    print(step, loss.item())
