# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Learns embeddings of a knowledge graph with the pipeline of pykeen."""
from pykeen.pipeline import pipeline

result = pipeline(dataset="Nations", model="TransE", device="cuda", training_kwargs={"num_epochs": 3, "use_tqdm": False},
                  random_seed=1)
print(result.metric_results.get_metric("mean_rank"))
