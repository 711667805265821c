# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an agent with stable-baselines3: sb3.py ALGORITHM ENVIRONMENT."""
import sys

import stable_baselines3

algorithm, environment = getattr(stable_baselines3, sys.argv[1]), sys.argv[2]
agent = algorithm("MlpPolicy", environment, device="cuda", verbose=1, seed=1)
agent.learn(total_timesteps=2500, log_interval=1)
print(stable_baselines3.common.evaluation.evaluate_policy(agent, agent.get_env(), n_eval_episodes=1))
