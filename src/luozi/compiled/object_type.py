"""How an object of a plain Python class becomes a Numba value, its methods native code.

An object turns into a struct of its attributes (numbers, NumPy arrays, tuples of numbers, other such objects). A method
call compiles the method of the class as it stands. The type's name carries a digest of the class, so that caches tell
an edited class from the old one. The class itself is looked up by that name: stored inside the type, it would be
pickled into the cache and break it for programs that can't import it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import starmap
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, typeof, types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.datamodel import DataModelManager
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import _UnboxContext as UnboxContext
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, Signature
from numba.core.typing.typeof import Purpose
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from luozi.compiled.digest import digest_of, names_in
from luozi.compiled.helpers import compile_with_helpers
from luozi.compiled.linking import PART

_CLASSES: dict[str, type] = {}
_METHODS: set[str] = set()
_COMPILED: dict[tuple[str, str], Dispatcher] = {}  # a type's name and a method's: Numba asks for some more than once


class PlainArray(np.ndarray):
    """An array whose elements are Python numbers: uncompiled rules then reckon as compiled ones do.

    NumPy's own small integers wrap around (`np.int8(100) + np.int8(100)` is -56); compiled code widens them.
    """

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item.item() if isinstance(item, np.generic) else item

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return a Python number for a sum or a maximum, and True or False for a comparison of it."""
        return array.item() if return_scalar else super().__array_wrap__(array, context, False)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist()) if self.ndim == 1 else super().__iter__()


class Compilable:
    """An object that compiled code can use. All public attributes of a fitting type can be read there."""

    checked = False  # compile with bounds checks and guards: some percent slower, but no mistake ends the program
    guards: Mapping[str, Callable[..., Any]] = {}  # what goes around methods that others have written
    entry_points: tuple[str, ...] = ()  # the methods that compiled code calls on it; none named means any
    jit_options: Mapping[str, Any] = PART  # by which Numba compiles the methods
    renamed: Mapping[str, str] = {}  # old names of attributes, and their new ones

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray) and not isinstance(value, PlainArray):
            value = np.ascontiguousarray(value).view(PlainArray)
        self.__dict__.pop("_object_type", None)  # as `forget_type`: a game sets a few dozen
        super().__setattr__(name, value)
        if name in self.renamed:
            self.set_by_old_name(name, value)

    def set_by_old_name(self, name: str, value: Any) -> None:
        """Let an attribute that was set by its old name have its new one too."""
        setattr(self, self.renamed[name], value)

    def forget_type(self) -> None:
        """Look at the class and its constants anew the next time this object meets compiled code."""
        self.__dict__.pop("_object_type", None)

    def compiled_attributes(self) -> dict[str, Any]:
        """Return the attributes that compiled code can read, of the class and then of the object."""
        values: dict[str, Any] = {}
        for cls in reversed(type(self).__mro__[:-1]):
            values.update(vars(cls))
        values.update(vars(self))
        found: dict[str, Any] = {}
        for name, value in values.items():
            if name.startswith("_") or isinstance(value, FUNCTIONS):
                continue
            if isinstance(value, np.ndarray):
                if value.dtype.kind in "biuf":
                    found[name] = value.view(np.ndarray)
            elif isinstance(value, np.number | np.bool_):
                found[name] = value.item()
            elif isinstance(value, int):
                if -(2**63) <= value < 2**63:
                    found[name] = value
            elif isinstance(value, tuple):
                for item in value:
                    if not isinstance(item, NUMBERS):
                        break
                else:  # an empty one has no type
                    found |= {name: value} if value else {}
            elif isinstance(value, float | Compilable):
                found[name] = value
        return found


FUNCTIONS = (FunctionType, property, staticmethod, classmethod, str)  # most of what a class has; none fits
NUMBERS = (bool, int, float, np.number)  # what a tuple may hold


def methods_of(cls: type) -> dict[str, Callable[..., Any]]:
    """Return the functions of a class and its bases."""
    found: dict[str, Callable[..., Any]] = {}
    for base in reversed(cls.__mro__):
        if base not in (object, Compilable):
            found.update({name: value for name, value in vars(base).items() if inspect.isfunction(value)})
    return {name: value for name, value in found.items() if not name.startswith("__")}


def method_of(cls: type, name: str) -> FunctionType | None:
    """Return one function of a class or its bases, or None."""
    for base in cls.__mro__:
        if name in vars(base) and base not in (object, Compilable):
            found = vars(base)[name]
            return found if isinstance(found, FunctionType) else None
    return None


def is_ours(thing: type | Callable[..., Any]) -> bool:
    """Return whether a class or a function is Luozi's own, which its tests look at; users write all others."""
    return str(thing.__module__).split(".")[0] == "luozi"


def reachable_methods(cls: type) -> list[Callable[..., Any]]:
    """Return the methods that compiled code may call: the entry points, and what they mention."""
    methods = methods_of(cls)
    if is_description(methods.get("board")):
        del methods["board"]  # a name that fields have too: rules that read one do not draw it
    todo = list(getattr(cls, "entry_points", ()) or methods)
    found: dict[str, Callable[..., Any]] = {}
    while todo:
        name = todo.pop()
        if name in methods and name not in found:
            found[name] = methods[name]
            todo += names_in(methods[name].__code__)
    return [found[name] for name in sorted(found)]


def is_description(method: Callable[..., Any] | None) -> bool:
    """Return whether a class's `board` is what describes it.

    That takes nothing, while a helper of rules takes a position.
    """
    return isinstance(method, FunctionType) and method.__code__.co_argcount == 1


def class_digest(cls: type, checked: bool) -> str:
    """Return a digest of all that objects of a class compile to."""
    guards = getattr(cls, "guards", {}).values() if checked else ()
    return digest_of(*reachable_methods(cls), *guards)


kept_digest = cache(class_digest)  # of classes that nobody edits while they run: each search asks for some


@cache
def is_wholly_ours(cls: type) -> bool:
    """Return whether a class and all its bases are Luozi's own: nobody edits them while they run."""
    return all(is_ours(base) for base in cls.__mro__ if base is not object)


class ObjectType(types.Type):
    """The Numba type of a `Compilable`."""

    def __init__(self, cls: type, fields: tuple[tuple[str, types.Type], ...], checked: bool) -> None:
        self.fields = fields
        self.checked = checked
        self.title = cls.__name__
        digest = kept_digest(cls, checked) if is_wholly_ours(cls) else class_digest(cls, checked)
        attributes = ", ".join(starmap("{}: {}".format, fields))
        super().__init__(name=f"{cls.__qualname__}@{digest}{'!' if checked else ''}({attributes})")
        _CLASSES[self.name] = cls

    @property
    def cls(self) -> type:
        return _CLASSES[self.name]


@typeof_impl.register(Compilable)
def _typeof(value: Compilable, context: Purpose) -> ObjectType:
    if "_object_type" not in vars(value):
        fields = []
        for name, item in sorted(value.compiled_attributes().items()):
            fields.append((name, typeof(item)))
        object_type = ObjectType(type(value), tuple(fields), value.checked)
        vars(value)["_object_type"] = object_type
    result: ObjectType = vars(value)["_object_type"]
    return result


@register_model(ObjectType)
class _ObjectModel(models.StructModel):
    def __init__(self, manager: DataModelManager, object_type: ObjectType) -> None:
        super().__init__(manager, object_type, list(object_type.fields))


@infer_getattr
class _ObjectAttributes(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, object_type: ObjectType, name: str) -> types.Type:
        field = dict(object_type.fields).get(name)
        return field if field is not None else resolve_method(object_type, name, object_type)


def resolve_method(object_type: types.Type, name: str, this: types.Type) -> types.BoundFunction:
    """Return the type of `object.<name>`, for an object or its address (`this`)."""
    if not (isinstance(object_type, ObjectType) and method_of(object_type.cls, name)):
        raise TypingError(f"compiled rules can't read self.{name}: make it a number (64 bits at most) or a NumPy array")
    _register_method(name)
    return _bound_method(object_type, name, this)


@lower_getattr_generic(ObjectType)
def _lower_field(
    context: BaseContext, builder: ir.IRBuilder, object_type: ObjectType, value: ir.Value, name: str
) -> ir.Value:
    struct = cgutils.create_struct_proxy(object_type)(context, builder, value=value)
    return impl_ret_borrowed(context, builder, dict(object_type.fields)[name], getattr(struct, name))


@unbox(ObjectType)
def _unbox(object_type: ObjectType, obj: ir.Value, c: UnboxContext) -> NativeValue:
    struct = cgutils.create_struct_proxy(object_type)(c.context, c.builder)
    for name, field in object_type.fields:
        attribute = c.pyapi.object_getattr_string(obj, name)
        value = c.unbox(field, attribute).value
        if isinstance(field, types.Array):  # borrowed: the caller keeps the object alive, nothing is counted
            array = c.context.make_array(field)(c.context, c.builder, value=value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            value = array._getvalue()
        setattr(struct, name, value)
        c.pyapi.decref(attribute)
    return NativeValue(struct._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def _register_method(name: str) -> None:
    """Let compiled code call `object.<name>(...)` on any `Compilable` whose class has such a method."""
    if name in _METHODS:
        return
    _METHODS.add(name)

    @lower_builtin((ObjectType, name), types.Any, types.VarArg(types.Any))
    def _lower_call(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]
    ) -> ir.Value:
        this = signature.args[0]
        method = types.Dispatcher(_compiled_method(getattr(this, "target", this), name))
        call = context.get_function(method, method.get_call_type(context.typing_context, signature.args, {}))
        context.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, args)


def _compiled_method(object_type: ObjectType, name: str) -> Dispatcher:
    """Return a method of the class, compiled when it is called."""
    if (object_type.name, name) not in _COMPILED:
        options = {**object_type.cls.jit_options, "boundscheck": object_type.checked}  # type: ignore[attr-defined]
        function = method_of(object_type.cls, name)
        assert function is not None  # `resolve_method` has found it
        compiled = compile_with_helpers(function, options)
        if object_type.checked and name in object_type.cls.guards and not is_ours(function):  # type: ignore[attr-defined]
            compiled = njit(object_type.cls.guards[name](compiled), **options)  # type: ignore[attr-defined]
        _COMPILED[object_type.name, name] = compiled
    return _COMPILED[object_type.name, name]


def _bound_method(object_type: ObjectType, name: str, this: types.Type) -> types.BoundFunction:
    """Return the type of a method: a call is typed as that of the compiled method, with nothing in between."""

    class Method(AbstractTemplate):
        key = (ObjectType, name)

        def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Signature:
            method = types.Dispatcher(_compiled_method(object_type, name))
            return method.get_call_type(self.context, (this, *args), kws).as_method()

    return types.BoundFunction(Method, this)
