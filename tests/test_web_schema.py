"""The API against its own description: what schemathesis makes of it, sent to a real server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from serving import serving

pytestmark = pytest.mark.slow

LEFT_OUT = "positive_data_acceptance"
"""A text of the right length need not be a board, nor a file a picture: such is refused, with a reason."""

REFUSALS = "[checks.negative_data_rejection]\nexpected-statuses = [400, 404, 405, 409, 413, 415, 422]\n"
"""With 413: a text can be too long for its field, and for a request."""


@pytest.fixture
def runner() -> str:
    program = Path(sys.executable).with_name("schemathesis")
    if not program.exists():
        pytest.skip("needs schemathesis (pip install -e '.[dev]')")
    return str(program)


def test_every_answer_is_as_described(runner: str, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(REFUSALS)
    with serving(tmp_path) as served:
        told = subprocess.run(
            [
                runner, "run", f"{served.address}api/openapi.json", "--no-color",
                "--max-examples", "8", "--seed", "1", "--request-timeout", "60", "--exclude-checks", LEFT_OUT,
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )  # fmt: skip
        assert told.returncode == 0, told.stdout[-6000:]
        assert "passed" in told.stdout
        assert served.process.poll() is None


def test_the_description_names_every_path_of_the_api(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        described = httpx.get(f"{served.address}api/openapi.json").json()
        used = {
            part.split('"')[0]
            for script in (Path(__file__).parents[1] / "visionsweeper" / "web" / "static").glob("*.js")
            for call in (' post("', ' send("', ' get("')
            for part in script.read_text().split(call)[1:]
        }
        assert used
        assert used <= {path.removeprefix("/api/") for path in described["paths"]}
        assert {"image", "width", "height", "box", "mines", "trust_flags", "exact", "model"} <= set(
            described["components"]["schemas"]["Body_parse_api_parse_post"]["properties"]
        )
