# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning of FLUX.2-klein-base-4B as in the image generation runs of PEFT's method comparison, on random weights.

Everything that left cached blocks behind is played: prompts and images are encoded while the transformer is on the
card, and the validation after an interval of steps generates images. Variables of a step live until the next one
assigns them, as in the published loop.
See Note [A few steps of a hundred] for what is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import torch
from diffusers import Flux2KleinPipeline
from diffusers.training_utils import compute_density_for_timestep_sampling, compute_loss_weighting_for_sd3
from peft import get_peft_model
from peft.mapping import PEFT_TYPE_TO_CONFIG_MAPPING
from torch import nn

import measured
from flux_models import build_dino, build_pipeline, leave_card, materialised, transformer_on_meta
from periodic import FIRST_INTERVAL, interval_average, intervals_of

DEVICE = "cuda"
TRAINING_IMAGES, VALIDATION_IMAGES = 14, 2
REPEATS = 1000
TEXT_LENGTH = 512
TEXT_LAYERS = (10, 20, 30)
GUIDANCE = 3.5
DINO_SIZE = 224
LOSS_BYTES = 512  # every step's loss is kept


@dataclass
class Cached:
    """What training reads, on the card."""

    prompts: torch.Tensor
    text_ids: torch.Tensor
    latents: torch.Tensor


@dataclass
class Log:
    """In bytes above what was reserved at the very start."""

    initial: int
    peak: int = 0
    allocated: list[int] = field(default_factory=list)
    reserved: list[int] = field(default_factory=list)

    def after_step(self) -> None:
        self.allocated.append(torch.cuda.memory_allocated() - self.initial)
        self.reserved.append(torch.cuda.memory_reserved() - self.initial)

    def after_interval(self) -> None:
        self.peak = max(self.peak, torch.cuda.max_memory_reserved() - self.initial)


def touch_card() -> int:
    """The first tensor; what it reserves is subtracted from everything that was published."""
    nn.Linear(1, 1).to(DEVICE)
    torch.cuda.reset_peak_memory_stats()
    return torch.cuda.max_memory_reserved()


def prepare_transformer(options: argparse.Namespace) -> nn.Module:
    """On the host. Initial values that are computed from all weights are left out: there are none."""
    transformer = transformer_on_meta(options.dtype)
    if options.checkpointing:
        transformer.enable_gradient_checkpointing()
    if options.peft_type == "PSOFT" or options.hyperparameters.get("use_dora"):
        with torch.device("meta"):
            return materialised(adapted(transformer, options))
    return adapted(materialised(transformer), options)


def adapted(transformer: nn.Module, options: argparse.Namespace) -> nn.Module:
    if options.peft_type == "FULL":
        return transformer.requires_grad_(True)
    config = PEFT_TYPE_TO_CONFIG_MAPPING[options.peft_type](**options.hyperparameters)
    return get_peft_model(transformer, config, autocast_adapter_dtype=options.autocast_adapter_dtype)


@torch.no_grad()
def encode_prompts(pipeline: Flux2KleinPipeline) -> tuple[torch.Tensor, torch.Tensor]:
    embeds, ids = [], []
    pipeline.text_encoder.to(DEVICE)
    for _ in range(TRAINING_IMAGES):
        prompt_embeds, text_ids = pipeline.encode_prompt(
            prompt="text", max_sequence_length=TEXT_LENGTH, text_encoder_out_layers=TEXT_LAYERS
        )
        embeds.append(prompt_embeds)
        ids.append(text_ids)
    leave_card(pipeline.text_encoder)
    return torch.cat(embeds, dim=0), torch.cat(ids, dim=0)


@torch.no_grad()
def encode_images(pipeline: Flux2KleinPipeline, batch: int, resolution: int, dtype: torch.dtype) -> torch.Tensor:
    vae = pipeline.vae
    found = []
    mean = vae.bn.running_mean.view(1, -1, 1, 1)
    deviation = torch.sqrt(vae.bn.running_var.view(1, -1, 1, 1) + vae.config.batch_norm_eps)
    vae.to(DEVICE)
    mean, deviation = mean.to(DEVICE), deviation.to(DEVICE)
    for start in range(0, TRAINING_IMAGES, batch):
        count = min(batch, TRAINING_IMAGES - start)
        pixels = torch.zeros(count, 3, resolution, resolution).to(device=DEVICE, dtype=dtype)
        latents = vae.encode(pixels).latent_dist.mode()
        latents = pipeline._patchify_latents(latents)
        latents = (latents - mean) / deviation
        found.append(latents)
    leave_card(vae)
    return torch.cat(found, dim=0)


@torch.inference_mode()
def dino_embeddings(dino: nn.Module, images: int) -> torch.Tensor:
    found = []
    for _ in range(images):
        inputs = torch.zeros(1, 3, DINO_SIZE, DINO_SIZE).to(DEVICE)
        hidden = dino(pixel_values=inputs).last_hidden_state[:, 0]
        found.append(nn.functional.normalize(hidden, dim=-1))
    return torch.cat(found, dim=0)


@torch.inference_mode()
def validate(pipeline: Flux2KleinPipeline, dino: nn.Module, options: argparse.Namespace) -> None:
    pipeline.text_encoder.to(DEVICE)
    pipeline.vae.to(DEVICE)
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    for _ in range(VALIDATION_IMAGES):
        pipeline(
            prompt=["text"],
            max_sequence_length=TEXT_LENGTH,
            text_encoder_out_layers=TEXT_LAYERS,
            num_inference_steps=options.denoising_steps,
            guidance_scale=GUIDANCE,
            height=options.resolution,
            width=options.resolution,
            generator=generator,
            output_type="pil",
        )
    generated = dino_embeddings(dino, VALIDATION_IMAGES)
    reference = dino_embeddings(dino, VALIDATION_IMAGES)
    (generated * reference).sum(dim=-1).mean().item()
    leave_card(pipeline.text_encoder)
    leave_card(pipeline.vae)


def flow_matching_loss(weighting: torch.Tensor, prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    loss = torch.mean((weighting.float() * (prediction.float() - target.float()) ** 2).reshape(target.shape[0], -1), 1)
    return loss.mean()


def train(
    pipeline: Flux2KleinPipeline,
    dino: nn.Module,
    cached: Cached,
    order: torch.Tensor,
    generator: torch.Generator,
    optimizer: torch.optim.Optimizer,
    options: argparse.Namespace,
    log: Log,
) -> None:
    transformer = pipeline.transformer
    batch, losses = options.batch, []
    timesteps_known = pipeline.scheduler.timesteps.clone()
    sigmas_known = pipeline.scheduler.sigmas.clone()
    intervals = intervals_of(options.steps)
    for interval, number in ((interval, number) for interval in intervals for number in range(1, interval.played + 1)):
        step = interval.before + number
        chosen = order[(step - 1) * batch : step * batch].to(device=DEVICE, dtype=torch.long)
        latents = cached.latents.index_select(0, chosen)
        prompts = cached.prompts.index_select(0, chosen)
        text_ids = cached.text_ids.index_select(0, chosen)
        image_ids = pipeline._prepare_latent_ids(latents).to(latents.device)
        noise = torch.randn_like(latents, generator=generator)
        density = compute_density_for_timestep_sampling("none", batch_size=batch, logit_mean=0.0, logit_std=1.0)
        indices = (density * len(timesteps_known)).long()
        timesteps = timesteps_known[indices].to(device=DEVICE)
        sigmas = sigmas_known.to(latents.dtype)[indices].view(-1, 1, 1, 1).to(DEVICE)
        noisy = (1.0 - sigmas) * latents + sigmas * noise
        packed = pipeline._pack_latents(noisy)

        optimizer.zero_grad(set_to_none=True)
        prediction = transformer(
            hidden_states=packed,
            timestep=timesteps / 1000,
            guidance=None,
            encoder_hidden_states=prompts,
            txt_ids=text_ids,
            img_ids=image_ids,
            return_dict=False,
        )[0]
        prediction = prediction[:, : packed.size(1)]
        prediction = pipeline._unpack_latents_with_ids(prediction, image_ids)
        weighting = compute_loss_weighting_for_sd3("none", sigmas=sigmas)
        target = noise - latents
        loss = flow_matching_loss(weighting, prediction, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(transformer.parameters(), options.clip)
        optimizer.step()
        if options.peft_type == "ADALORA":
            transformer.base_model.update_and_allocate(step)
        losses.append(loss)
        loss.item()
        log.after_step()

        if number == interval.played:
            log.after_interval()
            if interval is not intervals[-1]:
                transformer.eval()
                validate(pipeline, dino, options)
                transformer.train()
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()


def run(options: argparse.Namespace) -> Log:
    log = Log(touch_card())
    pipeline = build_pipeline(prepare_transformer(options).train(), options.dtype)
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    order = torch.cat(
        [torch.randperm(TRAINING_IMAGES, generator=generator, device=DEVICE) for _ in range(REPEATS)]
    )
    dino = build_dino().to(DEVICE).eval()
    pipeline.transformer.to(DEVICE)
    optimizer = getattr(torch.optim, options.optimizer)(pipeline.transformer.parameters(), **options.optimizer_options)
    prompts, text_ids = encode_prompts(pipeline)
    cached = Cached(prompts, text_ids, encode_images(pipeline, options.batch, options.resolution, options.dtype))
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    train(pipeline, dino, cached, order, generator, optimizer, options, log)
    return log


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peft-type", required=True, help="as PEFT calls it, or FULL")
    parser.add_argument("--hyperparameters", type=json.loads, default={}, help="of PEFT's configuration, in JSON")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--resolution", type=int, default=512)
    parser.add_argument("--dtype", type=lambda name: getattr(torch, name), default=torch.bfloat16)
    parser.add_argument("--checkpointing", action="store_true")
    parser.add_argument("--autocast-adapter-dtype", action="store_true")
    parser.add_argument("--optimizer", default="AdamW", help="a class of torch.optim")
    parser.add_argument("--optimizer-options", type=json.loads, default={}, help="in JSON")
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--steps", type=int, default=750, help="as published; some of them are run")
    parser.add_argument("--denoising-steps", type=int, default=2, help="per image of a validation")
    parser.add_argument("--out", type=Path, required=True, help="folder for measured.json")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    log = run(options)
    measured.write(
        options.out,
        {
            "reserved_max": log.peak,
            "reserved_first_interval": interval_average(log.reserved[:FIRST_INTERVAL], growth=0),
            "allocated_first_interval": interval_average(log.allocated[:FIRST_INTERVAL], growth=LOSS_BYTES),
        },
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
