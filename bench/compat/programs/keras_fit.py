# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits a convolutional network with Keras 3 on PyTorch."""
import keras
import numpy as np

model = keras.Sequential([
    keras.Input((28, 28, 1)), keras.layers.Conv2D(32, 3, activation="relu"), keras.layers.MaxPooling2D(),
    keras.layers.Flatten(), keras.layers.Dropout(0.2), keras.layers.Dense(10),
])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
random = np.random.default_rng(0)
images, labels = random.standard_normal((512, 28, 28, 1)).astype("float32"), random.integers(0, 10, 512)
model.fit(images, labels, batch_size=64, epochs=2, validation_split=0.1, verbose=2)
