# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which of the operators that write are followed, and which are exceptions. All others make unknown what they write to."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from .following import MAKING

# Operators that are followed in place.
IN_PLACE = """
abs_ neg_ bitwise_not_ logical_not_ add_.Tensor sub_.Tensor mul_.Tensor div_.Tensor add_.Scalar sub_.Scalar mul_.Scalar
div_.Scalar remainder_.Tensor remainder_.Scalar floor_divide_.Tensor floor_divide_.Scalar
bitwise_and_.Tensor bitwise_or_.Tensor bitwise_xor_.Tensor logical_and_ logical_or_ logical_xor_
eq_.Scalar eq_.Tensor ne_.Scalar ne_.Tensor clamp_ clamp_min_ clamp_max_ cumsum_ tril_ triu_
fill_.Scalar fill_.Tensor zero_ masked_fill_.Scalar masked_fill_.Tensor index_fill_.int_Scalar index_fill_.int_Tensor
scatter_.src scatter_.value scatter_add_ scatter_reduce_.two index_add_ index_copy_ masked_scatter_ index_put_
_index_put_impl_
_amp_update_scale_ fill_diagonal_ put_ index_reduce_ bitwise_left_shift_.Tensor bitwise_right_shift_.Tensor
exp_ log_ relu_ sigmoid_ tanh_
_foreach_add_.Scalar _foreach_add_.List _foreach_add_.ScalarList _foreach_add_.Tensor _foreach_sub_.Scalar
_foreach_sub_.List _foreach_sub_.ScalarList _foreach_mul_.Scalar _foreach_mul_.List _foreach_mul_.ScalarList
_foreach_mul_.Tensor _foreach_div_.Scalar _foreach_div_.List _foreach_div_.ScalarList _foreach_neg_ _foreach_abs_
_foreach_sqrt_ _foreach_reciprocal_
""".split()

# Operators without followed results, but with in-place or "out" forms that write to tensors that may be followed.
OTHERS = """
mm bmm addmm baddbmm addbmm addmv addr mv matmul lerp addcmul addcdiv cos sin tan exp2 expm1 log2 log10 log1p rsqrt square
erf softmax _softmax _log_softmax hypot atan2 trunc frac copysign nan_to_num threshold clip
""".split()

# Operators that write to "out", beside those of the lists with the same name.
FILLING = ["arange.start_out", "linspace.out", "eye.m_out"]

# They replace whatever their target held.
OVERWRITING = ("fill_.Scalar", "fill_.Tensor", "zero_")

# Written to without being declared.
UNDECLARED = {
    name: ("running_mean", "running_var")
    for name in (
        "native_batch_norm",
        "cudnn_batch_norm",
        "batch_norm_update_stats",
        "batch_norm_gather_stats",
        "batch_norm_gather_stats_with_counts",
    )
}

# They change how a tensor looks at its storage; what is there stays.
TURNING = "squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_ detach_ rename_ requires_grad_".split()
NOT_CONTENTS = ("set_", "set_data", "resize_as_", "retain_grad", "_fw_primal", "record_stream")

# Note [Numbers on the device]
# PyTorch itself puts plain numbers onto the device for some operators, marks them as numbers, and cannot pass such a
# tensor to Python: any handler of this module that gets one raises an error. Either we leave the operator that would
# get it alone, or we redirect the one that takes the number to its sibling for tensors: {operator: (sibling, place)}.
LEFT_ALONE = ["pow.Tensor_Tensor_out"]
LED_TO_TENSORS = {
    "searchsorted.Scalar": ("searchsorted.Tensor", 1),
    "searchsorted.Scalar_out": ("searchsorted.Tensor_out", 1),
    "bucketize.Scalar": ("bucketize.Tensor", 0),
    "bucketize.Scalar_out": ("bucketize.Tensor_out", 0),
    "isin.Scalar_Tensor": ("isin.Tensor_Tensor", 0),
    "isin.Scalar_Tensor_out": ("isin.Tensor_Tensor_out", 0),
}

_LISTED = {*IN_PLACE, *FILLING}
_WITH_ALL_FORMS = {name.partition(".")[0] for name in (*MAKING, *OTHERS)}
_TENSORS = ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]", "Optional[List[Tensor]]")


class Place(NamedTuple):
    """An argument of an operator."""

    position: int
    name: str
    is_out: bool

    def of(self, args: Tuple[Any, ...], kwargs: Any) -> Any:
        return args[self.position] if self.position < len(args) else kwargs.get(self.name)

    def put(self, given: Tuple[List[Any], Any], value: Any) -> None:
        args, kwargs = given
        if self.position < len(args):
            args[self.position] = value
        else:
            kwargs[self.name] = value


def name_of(packet: str, overload: str) -> str:
    return f"{packet}.{overload}" if overload else packet


def is_followed(packet: str, overload: str) -> bool:
    """Whether an operator that writes is followed: it is listed, or one with the same name that makes new tensors is."""
    return name_of(packet, overload) in _LISTED or packet.rstrip("_") in _WITH_ALL_FORMS and "name" not in overload


def writes(schema: Any) -> bool:
    return any(each.alias_info and each.alias_info.is_write for each in schema.arguments) and bool(written_by(schema))


def written_by(schema: Any) -> List[Place]:
    return [
        Place(i, each.name, each.kwarg_only)
        for i, each in enumerate(schema.arguments)
        if each.alias_info and each.alias_info.is_write and str(each.type) in _TENSORS
    ]
