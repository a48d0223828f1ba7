"""Pass many values as one pointer.

Numba hands every array to every function as seven numbers, and an object or a tuple of arrays as all of theirs: with a
hundred small functions most of the code was the passing of arguments. `by_reference` puts such a value on the kernel's
stack, and functions get its address. When the kernel is whole, nothing is left of it: the optimiser sees through.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.datamodel import DataModelManager
from numba.core.typing.templates import AttributeTemplate, Signature
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    type_callable,
)

from luozi.compiled.linking import ADDRESS
from luozi.compiled.object_type import ObjectType, resolve_method

Value = TypeVar("Value")
_BYTE = ir.IntType(8)
_OFFSETS: dict[str, list[int]] = {}


def by_reference(value: Value) -> Value:
    """Return the same value; compiled, its address, for the time that the kernel runs.

    Its fields must not be assigned.
    """
    return value


class Reference(types.Type):
    """The Numba type of the address of a named tuple or an object."""

    def __init__(self, target: types.Type) -> None:
        self.target = target
        self.fields = fields_of(target)
        self.places = {name: place for place, (name, _) in enumerate(self.fields)}
        # A digest: the names of types are part of every function's name, and those of targets are very long.
        super().__init__(name=f"&{hashlib.sha256(target.name.encode()).hexdigest()[:20]}")


def fields_of(target: types.Type) -> list[tuple[str, types.Type]]:
    """Return the names and types of a target's fields, in their order."""
    if isinstance(target, types.BaseNamedTuple):
        return list(zip(target.fields, target.types, strict=True))
    return list(target.fields)


def is_bundle(numba_type: types.Type) -> bool:
    """Return whether a value of this type is passed by its address."""
    return isinstance(numba_type, (ObjectType, types.BaseNamedTuple))


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, reference: Reference) -> None:
        super().__init__(manager, reference, ADDRESS)


@type_callable(by_reference)
def _type_by_reference(context):  # type: ignore[no-untyped-def]
    return lambda value: Reference(value) if is_bundle(value) else value


@lower_builtin(by_reference, types.Any)
def _lower_by_reference(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]
) -> ir.Value:
    if not isinstance(signature.return_type, Reference) or signature.args[0] == signature.return_type:
        return args[0]
    return builder.bitcast(cgutils.alloca_once_value(builder, args[0]), ADDRESS)


def each_by_reference(bundle: Value) -> Value:
    """Return a named tuple whose fields of many values are addresses.

    One each, so that the optimiser tells them apart.
    """
    return bundle


@type_callable(each_by_reference)
def _type_each(context):  # type: ignore[no-untyped-def]
    def typed(bundle: types.BaseNamedTuple) -> types.NamedTuple:
        fields = [Reference(field) if is_bundle(field) else field for field in bundle.types]
        return types.NamedTuple(fields, bundle.instance_class)

    return typed


@lower_builtin(each_by_reference, types.BaseNamedTuple)
def _lower_each(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]
) -> ir.Value:
    fields = []
    for place, field in enumerate(signature.return_type.types):
        value = builder.extract_value(args[0], place)
        if isinstance(field, Reference) and signature.args[0].types[place] != field:
            value = builder.bitcast(cgutils.alloca_once_value(builder, value), ADDRESS)
        fields.append(value)
    return context.make_tuple(builder, signature.return_type, fields)


@infer_getattr
class _ReferenceAttributes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Reference, name: str) -> types.Type | None:
        place = reference.places.get(name)
        if place is not None:
            field = reference.fields[place][1]
            return Reference(field) if is_bundle(field) else field
        return resolve_method(reference.target, name, reference)


@lower_getattr_generic(Reference)
def _lower_field(
    context: BaseContext, builder: ir.IRBuilder, reference: Reference, address: ir.Value, name: str
) -> ir.Value:
    place = reference.places[name]
    field = reference.fields[place][1]
    offset = offsets_of(context, reference)[place]
    address = builder.bitcast(address, _BYTE.as_pointer())
    inside = builder.gep(address, [ir.Constant(ir.IntType(64), offset)], inbounds=True)
    if is_bundle(field):
        return builder.bitcast(inside, ADDRESS)
    return builder.load(builder.bitcast(inside, context.get_value_type(field).as_pointer()))


def offsets_of(context: BaseContext, reference: Reference) -> list[int]:
    """Return where each field lies, in bytes."""
    if reference.name not in _OFFSETS:
        layout = context.get_value_type(reference.target)
        known = layout._get_ll_global_value_type(context.target_data)
        offsets = [context.target_data.get_element_offset(known, place) for place in range(len(reference.fields))]
        _OFFSETS[reference.name] = offsets
    return _OFFSETS[reference.name]
