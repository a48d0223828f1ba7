"""How compiled functions become one piece of machine code.

Numba optimises every function together with all that it calls, and turns it into machine code of its own, also those
that only other compiled code calls. In a search of a hundred small functions most of that work is thrown away. Here a
function that is called from inside only stays as it was translated; a kernel links all of them, those that they call
too, and only the whole is optimised.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscode
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, StateDict
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import enforce_no_dels, enforce_no_phis
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import IRLegalization, NativeLowering, NopythonRewrites
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global
from numba.core.untyped_passes import InlineClosureLikes, MakeFunctionToJitFunction
from numba.extending import lower_builtin

APART: set[Callable[..., Any]] = (
    set()
)  # functions that stay functions; Numba's own flag would have all that they call compiled twice
# What `references.py` hands on: no other pointer has this type.
ADDRESS = ir.LiteralStructType([ir.IntType(8)]).as_pointer()


class LinkedFunction(JITCodeLibrary):
    """Code that is linked into others and never run by itself."""

    def add_ir_module(self, module: ir.Module) -> None:
        for function in module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
                for argument in function.args:
                    if argument.type == ADDRESS:  # nobody writes there: what was read once need not be read again
                        argument.add_attribute("noalias")
        super().add_ir_module(module)

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> binding.ModuleRef:
        """Return all linked functions in one module, for code that is not a `LinkedKernel`."""
        module = super()._get_module_for_linking().clone()
        for library in pieces_of(self):
            module.link_in(module_of(library), preserve=True)
        return module


class LinkedKernel(JITCodeLibrary):
    """A kernel with all that it calls."""

    def finalize(self) -> None:
        own = {function.name for function in self._final_module.functions}
        for library in pieces_of(self):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(module_of(library), preserve=True)
        for function in self._final_module.functions:  # nobody else calls them: the optimiser may look at all calls
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"
        self._linking_libraries: list[JITCodeLibrary] = []
        super().finalize()


def module_of(library: JITCodeLibrary) -> binding.ModuleRef:
    """Return the code of a library alone, as far as it is not a piece's of its own."""
    if isinstance(library, LinkedFunction):
        return super(LinkedFunction, library)._get_module_for_linking()
    return library._get_module_for_linking()


def pieces_of(library: JITCodeLibrary) -> list[JITCodeLibrary]:
    """Return everything that a library calls, directly or not; what is not a piece holds all that it calls itself.

    Callers come before what they call, all of them: the linker takes over only what somebody has asked for by then.
    """
    order: list[JITCodeLibrary] = []
    seen: set[int] = set()
    todo = [(piece, False) for piece in library._linking_libraries]
    while todo:
        piece, done = todo.pop()
        if done:
            order.append(piece)
        elif id(piece) not in seen:
            seen.add(id(piece))
            todo.append((piece, True))
            todo += [(below, False) for below in piece._linking_libraries] if isinstance(piece, LinkedFunction) else []
    return order[::-1]


def _own_library(state: StateDict, kind: type) -> None:
    state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()


@register_pass(mutates_CFG=True, analysis_only=False)
class PieceLowering(NativeLowering):
    """Translates a function that is called from inside, and makes it known to its callers."""

    _name = "luozi_piece_lowering"

    def run_pass(self, state: StateDict) -> bool:
        _own_library(state, LinkedFunction)
        state.flags = state.flags.copy()
        state.flags.no_compile = True
        state.flags.forceinline = state.func_id.func not in APART
        super().run_pass(state)
        result = state["cr"]
        # A name for it that Python has no way in by: Numba knows functions by such objects.
        name, module = result.fndesc.qualname.rsplit(".", 1)[-1], result.fndesc.lookup_module()
        entry = make_function(module, name, "compiled code", 0, result.env, (state.library,))
        state.targetctx.insert_user_function(entry, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class WholeLowering(NativeLowering):
    """Translates a kernel."""

    _name = "luozi_whole_lowering"

    def run_pass(self, state: StateDict) -> bool:
        _own_library(state, LinkedKernel)
        super().run_pass(state)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class WithoutDeletions(IRLegalization):
    """Leaves out what frees variables, half of all instructions: nothing that kernels use is counted."""

    _name = "luozi_without_deletions"

    def run_pass(self, state: StateDict) -> bool:
        if state.flags.nrt:
            return bool(super().run_pass(state))
        enforce_no_phis(state.func_ir)
        enforce_no_dels(state.func_ir)
        PostProcessor(state.func_ir).run()
        return True


class QuickFlags(Flags):
    """Numba's flags, which it compares at every call that it looks up: here by what was set, not by all there are."""

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self._values == other._values


class _Compiler(CompilerBase):
    lowering: type

    def __init__(self, *given: Any) -> None:
        *before, flags, local = given
        super().__init__(*before, QuickFlags(flags), local)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        instead = {NativeLowering: self.lowering, IRLegalization: WithoutDeletions}
        idle: set[type] = set()  # what would find nothing to do
        if not any(iscode(constant) for constant in self.state.func_id.code.co_consts):
            idle |= {InlineClosureLikes, MakeFunctionToJitFunction}  # are for functions inside of functions
        if not self.state.flags.nrt:
            idle |= {NopythonRewrites}  # is for arrays that are made on the way
        passes.passes = [(instead.get(one, one), why) for one, why in passes.passes if one not in idle]
        passes.finalize()
        return [passes]


class PieceCompiler(_Compiler):
    """For functions that only compiled code calls."""

    lowering = PieceLowering


class WholeCompiler(_Compiler):
    """For kernels."""

    lowering = WholeLowering


# What only compiled code calls needs no entrances for Python and C: they would double the time to compile.
INSIDE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PieceCompiler}
# The same for the small functions that Numba calls overloads.
PART: dict[str, Any] = {"forceinline": True, "_nrt": False, **INSIDE}


def compile_as(function: Callable[..., Any], typed: Callable[..., Signature], lowered: Callable[..., ir.Value]) -> None:
    """Compile calls of a function to instructions in place; a function for each set of types would compile longer.

    `typed` gives the signature for the types of the arguments, `lowered` writes the instructions.
    """

    class Call(AbstractTemplate):
        def generic(self, arguments: tuple[types.Type, ...], keywords: dict[str, types.Type]) -> Signature:
            return typed(*arguments)

    infer_global(function)(Call)
    lower_builtin(function, types.VarArg(types.Any))(lowered)
