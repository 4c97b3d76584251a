"""Hands named tuples of arrays to compiled functions by reference.

numba by itself hands every array of a named tuple on by value, seven machine words each, at every call, and
counts references to each: the engine's structures hold dozens, so that compiling it took minutes. Here a
compiled function gets one address, and the arrays' owners are kept alive by whoever called from Python.
"""

# mypy: disable-error-code="no-untyped-call, untyped-decorator, attr-defined, override, misc, import-untyped"

from __future__ import annotations

from typing import Any, TypeVar
from zlib import crc32

from visionsweeper.simulation.engine.compiling import COMPILED

Class = TypeVar("Class", bound=type[tuple[Any, ...]])


def by_reference(structure: Class) -> Class:
    """Hand a class of named tuples, of arrays or of other such tuples, to compiled functions by reference."""
    if COMPILED:
        _typeof_impl.register(structure)(_typeof_structure)
    return structure


if COMPILED:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.core.datamodel import models, register_default
    from numba.core.typing.templates import AttributeTemplate
    from numba.core.typing.typeof import typeof_impl as _typeof_impl
    from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, unbox

    class _Structure(types.Type):
        """The address of a named tuple that lives in the frame of the call from Python."""

        def __init__(self, fields: Any) -> None:
            self.fields = fields
            # The class and its fields' types in short: symbols of compiled functions spell it out.
            code = crc32(str(fields).encode())
            super().__init__(name=f"{fields.instance_class.__name__}_{code:x}")

    @register_default(_Structure)
    class _StructureModel(models.PrimitiveModel):
        """An address."""

        def __init__(self, manager: Any, structure: Any) -> None:
            stored = manager.lookup(structure.fields).get_value_type()
            super().__init__(manager, structure, ir.PointerType(stored))

    def _typeof_structure(value: Any, context: Any) -> Any:
        return _Structure(types.NamedTuple([_typeof_impl(one, context) for one in value], type(value)))

    @infer_getattr
    class _StructureAttributes(AttributeTemplate):
        """The fields, by name."""

        key = _Structure

        def generic_resolve(self, structure: Any, name: str) -> Any:
            """Return the type of a field; None where there is no such field."""
            names = structure.fields.fields
            return structure.fields.types[names.index(name)] if name in names else None

    @lower_getattr_generic(_Structure)
    def _get_field(context: Any, builder: Any, structure: Any, address: Any, name: str) -> Any:
        index = structure.fields.fields.index(name)
        field = builder.load(cgutils.gep_inbounds(builder, address, 0, index))
        if isinstance(structure.fields.types[index], types.Array):
            # An array without an owner, so that no reference is counted.
            field = builder.insert_value(field, cgutils.get_null_value(field.type.elements[0]), 0)
        return field

    @unbox(_Structure)
    def _unbox_structure(structure: Any, given: Any, c: Any) -> Any:
        native = c.unbox(structure.fields, given)

        def release() -> None:
            c.context.nrt.decref(c.builder, structure.fields, native.value)
            if native.cleanup is not None:
                native.cleanup()

        address = cgutils.alloca_once_value(c.builder, native.value)
        return NativeValue(address, is_error=native.is_error, cleanup=release)
