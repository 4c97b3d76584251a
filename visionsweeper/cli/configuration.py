"""Defaults of options from the user's configuration file, handed to click as its `default_map`.

The file is TOML: a table for each command, and above the tables what counts for every command that has such
an option. Names are those of the long options.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import is_there, read_at_most

VARIABLE: Final = "VISIONSWEEPER_CONFIG"
"""Environment variable that names another configuration file."""

PREFIX: Final = "VISIONSWEEPER"
"""Options are taken from variables too, as in VISIONSWEEPER_PARSE_WIDTH."""

_MOST_BYTES: Final = 1 << 20

Tables = Mapping[str, Any]


def configuration_file() -> Path:
    """Return where the configuration file is, or would be."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_config_path  # only needed without the variable

    return user_config_path("visionsweeper", appauthor=False) / "config.toml"


def defaults_of(command: click.Command, name: str, commands: Collection[str]) -> dict[str, Any]:
    """Return the defaults that the configuration file has for a command, by parameter.

    Raises InvalidInput, which names the file, for one that cannot be used.
    """
    place = configuration_file()
    if not is_there(place):
        return {}
    text = text_of(place)
    try:
        return checked(text, {name: command}, commands).get(name, {})
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}; correct it with `visionsweeper config edit`") from error


def text_of(place: Path) -> str:
    """Return the text of a configuration file. Raises InvalidInput, which names it."""
    try:
        text = read_at_most(place, _MOST_BYTES).decode("utf-8-sig")
        return text.replace("\r\n", "\n")  # as editors on Windows end lines
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the configuration file {place} cannot be read: {error}") from error


def checked(
    text: str, commands: Mapping[str, click.Command], names: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return the defaults of these commands, by parameter; `names` are those of all commands.

    Raises InvalidInput for what is no TOML, for unknown tables and options, and for values that do not fit.
    """
    tables = _parsed(text)
    for title, values in tables.items():
        if isinstance(values, dict) and title not in names:
            raise InvalidInput(f"[{title}] is not a command{_alike(title, names)}")
    common = {option: value for option, value in tables.items() if not isinstance(value, dict)}
    found: dict[str, dict[str, Any]] = {}
    for name, command in commands.items():
        table = tables.get(name)
        own = table if isinstance(table, dict) else {}  # a value by the name of a command is no option of it
        options = options_of(command)
        for option in own:
            if option not in options:
                raise InvalidInput(f"[{name}] has no option {option!r}{_alike(option, list(options))}")
        values = {option: value for option, value in {**common, **own}.items() if option in options}
        found[name] = {
            str(options[option].name): _value(command, name, options[option], option, value)
            for option, value in values.items()
        }
    return found


def check_whole(text: str, commands: Mapping[str, click.Command]) -> None:
    """Check the text of a configuration file against all commands. Raises InvalidInput."""
    checked(text, commands, list(commands))
    known = [option for command in commands.values() for option in options_of(command)]
    for option, value in _parsed(text).items():
        if not isinstance(value, dict) and option not in known:
            raise InvalidInput(f"no command has an option {option!r}{_alike(option, known)}")


def options_of(command: click.Command) -> dict[str, click.Option]:
    """Return a command's options by the names that the file has for them: long ones, without the dashes."""
    return {
        flag.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option)
        for flag in option.opts
        if flag.startswith("--")
    }


def _parsed(text: str) -> Tables:
    import tomllib  # only where there is a configuration file

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"this is not TOML: {error}") from error


def _value(command: click.Command, name: str, option: click.Option, said: str, value: Any) -> Any:
    """Return a value as the option takes it, checked by the option itself."""
    place = f"[{name}] {said}"
    if option.is_flag:
        if not isinstance(value, bool):
            raise InvalidInput(f"{place} must be true or false, not {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float | list):
        raise InvalidInput(f"{place} cannot be {value!r}: give a number or a text")
    plain = [str(one) for one in value] if isinstance(value, list) else str(value)
    if isinstance(plain, list) and not option.multiple:
        plain = ",".join(plain)  # a box
    elif isinstance(plain, str) and option.multiple:
        plain = [plain]
    if isinstance(plain, str) and isinstance(option.type, click.Path):
        plain = os.path.expanduser(plain)  # noqa: PTH111 (Path's fails where there is no such user)
    try:
        option.type_cast_value(click.Context(command, info_name=name), plain)
    except click.UsageError as error:
        raise InvalidInput(f"{place}: {error.message.rstrip('.')}") from error
    return plain


def _alike(name: str, known: Collection[str]) -> str:
    alike = get_close_matches(name, known, n=1)
    return f": did you mean {alike[0]}?" if alike else ""
