# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Calls every operator that declares a write, on tensors whose values are known, on the host and on the simulated GPU.

What is known of a tensor afterwards must be what the host has. Arguments are guessed from the types of the schema, in
several ways, until both take them. Prints one JSON object: how many operators there are, how many of them are intercepted
and were called, and the names of those after which something known was wrong.
"""

import functools
import gc
import itertools
import json
import os
import pickle
import subprocess
import sys
import warnings
from subprocess import PIPE

import torch

KEY = "TESTING_ONLY_GenericMode"
TENSORS = ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]", "Optional[List[Tensor]]")
# They change what a tensor is, not what it holds.
NOT_CONTENTS = ("set_", "set_data", "resize_as_", "retain_grad", "_fw_primal", "record_stream")
# On guessed arguments these crash in the process that calls them, with Dryfit or without: they read the device's memory from
# the host, or divide by what they read. So do all of symm_mem, which are for several GPUs.
CRASHING = """
_sobol_engine_initialize_state_ _sobol_engine_scramble_ _sobol_engine_ff_ _nnpack_spatial_convolution
cudnn_convolution_add_relu cudnn_convolution_relu fractional_max_pool2d_backward fractional_max_pool3d_backward
_nested_from_padded _transform_bias_rescale_qkv range max_unpool3d
""".split()
SHAPES = ((2, 2), (3,), (1, 2, 4, 4), (2, 3, 4))
TYPES = (torch.float32, torch.int64, torch.bool)
NUMBERS = (1, 0)


def name_of(schema):
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write and str(argument.type) in TENSORS


def writing_schemas():
    dispatched = set(torch._C._dispatch_get_all_op_names())
    for schema in torch._C._jit_get_all_schemas():
        if name_of(schema) in dispatched and any(map(is_written, schema.arguments)):
            if schema.name.split("::")[1] not in NOT_CONTENTS:
                yield schema


def tensor(shape, kind, seed):
    count = torch.Size(shape).numel()
    values = (torch.arange(count) * 7 + seed * 3 + 1) % 5 + 2
    if kind is torch.bool:
        return (values % 2 == 0).reshape(shape)
    return (values.to(kind) / (8 if kind.is_floating_point else 1)).to(kind).reshape(shape)


class Unguessable(Exception):
    pass


def guess(argument, seed, shape, kind, number):
    """A value for an argument; tensors are on the host."""
    text = str(argument.type)
    if text == "Tensor" or text == "Optional[Tensor]" and is_written(argument):
        is_index = argument.name in ("index", "indices", "offsets", "other_index")
        return torch.zeros(shape, dtype=torch.int64) if is_index else tensor(shape, kind, seed)
    if text in ("List[Tensor]", "List[Optional[Tensor]]"):
        if argument.name == "indices":
            return [torch.zeros(shape[:1], dtype=torch.int64)]
        return [tensor(shape, kind, seed + i) for i in range(2)]
    if text.startswith("Optional["):
        return None
    plain = {"int": number, "SymInt": number, "float": 0.5, "bool": False, "number": number, "str": "sum", "Device": "cpu"}
    if text in plain:
        return plain[text]
    if text in ("List[int]", "List[SymInt]"):
        return list(shape) if argument.name in ("size", "output_size") else [number]
    if text in ("List[float]", "List[number]", "List[bool]"):
        return [{"List[bool]": True}.get(text, 1.0)] * 2
    if text == "Layout":
        return torch.strided
    raise Unguessable(text)


def arguments(schema, shape, kind, number):
    args, kwargs = [], {}
    for i, each in enumerate(schema.arguments):
        has_default = each.has_default_value() and not is_written(each)
        if has_default and (each.kwarg_only or str(each.type) not in ("Tensor",)):
            if not each.kwarg_only:
                args.append(each.default_value)
            continue
        value = guess(each, i, shape, kind, number)
        if each.kwarg_only:
            kwargs[each.name] = value
        else:
            args.append(value)
    return args, kwargs


def mapped(value, change):
    if isinstance(value, torch.Tensor):
        return change(value)
    return [mapped(each, change) for each in value] if isinstance(value, list) else value


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [found for each in value for found in tensors(each)] if isinstance(value, (list, tuple)) else []


def attempt(operator, args, kwargs):
    try:
        operator(*args, **kwargs)
        return None
    except Exception as error:
        return str(error) or "?"


def everything(args, kwargs):
    return tensors(args) + tensors(list(kwargs.values()))


class Host:
    """A process without Dryfit that calls operators on the host.

    Some of them crash on guessed arguments, or damage the memory that a later one crashes on. So a crash counts only in a
    process that has called nothing before.
    """

    def __init__(self):
        self._process = None

    def call(self, operator, args, kwargs):
        """The tensors among the arguments as they are afterwards; None if the operator does not take them."""
        is_fresh = self._process is None
        if is_fresh:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("DRYFIT_")}
            environment["PYTHONPATH"] = ""
            command = [sys.executable, __file__, "host"]
            self._process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=subprocess.DEVNULL, env=environment)
        try:
            pickle.dump((str(operator), args, kwargs), self._process.stdin)
            self._process.stdin.flush()
            return pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError):
            self._process.wait()
            self._process = None
            return None if is_fresh else self.call(operator, args, kwargs)


def serve():
    while True:
        try:
            name, args, kwargs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        operator = functools.reduce(getattr, name.split("."), torch.ops)
        answer = everything(args, kwargs) if attempt(operator, args, kwargs) is None else None
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def same(one, other):
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def compare(operator, args, kwargs, mirrors, on_host):
    """None if the operator does not take these arguments, else whether all that is known of them is right."""
    old = everything(args, kwargs)
    card = mapped(args, torch.Tensor.cuda), {name: mapped(each, torch.Tensor.cuda) for name, each in kwargs.items()}
    error = attempt(operator, *card)
    if error is not None:
        return None
    truths = on_host.call(operator, args, kwargs)
    written = {id(each) for each in written_of(operator, *card)}
    for before, truth, held in zip(old, truths or old, everything(*card)):
        known = mirrors.of(held)
        if known is None or mirrors.origin_of(held) or not held.numel():
            continue
        if truths is None and held.shape != before.shape:
            continue  # the host does not resize it
        if truths is None and id(held) in written or not same(known, truth):
            return False
    return True


def written_of(operator, args, kwargs):
    schema = operator._schema.arguments
    given = [value for each, value in zip(schema, args) if is_written(each)]
    return tensors(given + [kwargs[each.name] for each in schema if is_written(each) and each.name in kwargs])


def main():
    warnings.simplefilter("ignore")
    torch.zeros(1, device="cuda")
    mirrors = next(each for each in gc.get_objects() if type(each).__name__ == "Mirrors")
    on_host = Host()
    count, called, missed, wrong, uncalled = 0, 0, [], [], []
    for schema in writing_schemas():
        count += 1
        name = name_of(schema)
        namespace, packet = schema.name.split("::")
        operator = getattr(getattr(getattr(torch.ops, namespace), packet), schema.overload_name or "default")
        if not torch._C._dispatch_has_kernel_for_dispatch_key(name, KEY):
            missed.append(name)
        outcomes = []
        if packet in CRASHING or namespace == "symm_mem":
            continue
        for shape, kind, number in itertools.product(SHAPES, TYPES, NUMBERS):
            try:
                args, kwargs = arguments(schema, shape, kind, number)
            except Unguessable:
                break
            outcome = compare(operator, args, kwargs, mirrors, on_host)
            if outcome is not None:
                outcomes.append(outcome)
                break
        called += bool(outcomes)
        if not outcomes:
            uncalled.append(name)
        if False in outcomes:
            wrong.append(name)
    print(json.dumps({"operators": count, "called": called, "missed": missed, "wrong": wrong, "uncalled": len(uncalled)}))


serve() if sys.argv[1:] == ["host"] else main()
