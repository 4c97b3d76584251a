"""Hands named tuples of arrays to compiled functions by reference.

numba by itself hands every array of a named tuple on by value, seven machine words each, at every call, and
counts references to each: the engine's structures hold dozens, so that compiling it took minutes. Here a
compiled function gets one address, and the arrays' owners are kept alive by whoever called from Python.
"""

# mypy: disable-error-code="no-untyped-call, untyped-decorator, attr-defined, override, misc, import-untyped"

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar
from zlib import crc32

from visionsweeper.engine.compiling import COMPILED

Class = TypeVar("Class", bound=type[tuple[Any, ...]])


def by_reference(structure: Class) -> Class:
    """Hand a class of named tuples, of arrays or of other such tuples, to compiled functions by reference."""
    if COMPILED:
        _typeof_impl.register(structure)(_typeof_structure)
    return structure


if COMPILED:
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
        """An address, of bytes.

        LLVM is handed text, and the type of all fields would fill kilobytes of it wherever one is used.
        """

        def __init__(self, manager: Any, structure: Any) -> None:
            super().__init__(manager, structure, cgutils.voidptr_t)

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
        kind = structure.fields.types[index]
        place = cgutils.pointer_add(builder, address, _offset(context, structure, index))
        field = builder.load(builder.bitcast(place, context.get_value_type(kind).as_pointer()))
        if isinstance(kind, types.Array):
            # An array without an owner, so that no reference is counted.
            field = builder.insert_value(field, cgutils.get_null_value(field.type.elements[0]), 0)
        return field

    @cache
    def _offset(context: Any, structure: Any, index: int) -> int:
        """Return where a field begins, in bytes."""
        stored = context.get_value_type(structure.fields)
        return stored.get_element_offset(context.target_data, index)  # type: ignore[no-any-return]

    @unbox(_Structure)
    def _unbox_structure(structure: Any, given: Any, c: Any) -> Any:
        native = c.unbox(structure.fields, given)

        def release() -> None:
            c.context.nrt.decref(c.builder, structure.fields, native.value)
            if native.cleanup is not None:
                native.cleanup()

        stored = cgutils.alloca_once_value(c.builder, native.value)
        address = c.builder.bitcast(stored, cgutils.voidptr_t)
        return NativeValue(address, is_error=native.is_error, cleanup=release)
