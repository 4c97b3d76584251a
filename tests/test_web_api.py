"""The HTTP API: the same answers as the library, plain errors, and nothing for strangers."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
from PIL import Image
from serving import Served, serving

from visionsweeper.board import Board
from visionsweeper.pipeline import analyse, read_board
from visionsweeper.play.minefield import Minefield
from visionsweeper.report import Report, to_dict
from visionsweeper.vision.image import load_image
from visionsweeper.web.guard import Hosts
from visionsweeper.web.limits import Limits
from visionsweeper.web.workers import Workers

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
BOARD = ["?????", "?11??", "?????"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address, timeout=60) as one:
        yield one


def png(pixels: np.ndarray) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return data.getvalue()


def test_solve_answers_what_the_library_says(client: httpx.Client) -> None:
    for mines in (None, 3):
        answer = client.post("api/solve", json={"board": BOARD, "mines": mines, "exact": True}).json()
        analysis = analyse(Board.from_text("\n".join(BOARD)), mines=mines)
        expected = to_dict(Report(None, analysis, None, None), exact=True)
        assert {key: answer[key] for key in expected} == json.loads(json.dumps(expected))
    least, most = answer["mine_range"]
    fits = [m for m in range(16) if analyse(Board.from_text("\n".join(BOARD)), mines=m).problem is None]
    assert (least, most) == (fits[0], fits[-1])


def test_a_board_may_come_as_one_text(client: httpx.Client) -> None:
    rows = client.post("api/solve", json={"board": BOARD}).json()
    assert client.post("api/solve", json={"board": "\n".join(BOARD)}).json() == rows


def test_an_answer_can_be_sent_back_as_it_is(client: httpx.Client) -> None:
    first = client.post("api/solve", json={"board": BOARD, "mines": 3, "exact": True}).json()
    assert client.post("api/solve", json=first).json() == first
    assert client.post("api/explain", json={"board": BOARD, "probability": []}).status_code == 422


def test_a_board_that_cannot_be_is_an_answer(client: httpx.Client) -> None:
    answer = client.post("api/solve", json={"board": ["?1", "20"]})
    assert answer.status_code == 200
    assert answer.json()["consistent"] is False
    assert answer.json()["error"]["kind"] == "contradiction"
    assert answer.json()["conflict"]
    few = client.post("api/solve", json={"board": BOARD, "mines": 0}).json()
    assert few["error"]["kind"] == "too_few_mines"
    assert few["mine_range"][0] == 1


def test_parse_reads_a_screenshot_as_the_library_does(client: httpx.Client) -> None:
    file = SAMPLES / "expert.png"
    answer = client.post(
        "api/parse",
        files={"image": (file.name, file.read_bytes(), "image/png")},
        data={"width": "30", "mines": "99", "details": "true"},
    )
    assert answer.status_code == 200
    found = answer.json()
    reading = read_board(file, 30)
    expected = to_dict(Report("expert.png", analyse(reading, mines=99), None, None))
    assert {key: found[key] for key in expected} == json.loads(json.dumps(expected))
    assert "\n".join(found["board"]) + "\n" == (SAMPLES / "expert.txt").read_text()
    assert len(found["reading"]["x"]) == 31
    groups = np.array(found["reading"]["groups"])
    assert 5 < groups.max() < 40
    # Tiles of one group were read as one kind.
    assert all(len(np.unique(reading.board.cells[groups == one])) == 1 for one in np.unique(groups))


def test_parse_says_where_there_is_no_board(client: httpx.Client) -> None:
    blank = png(np.full((300, 400, 3), 200, np.uint8))
    answer = client.post("api/parse", files={"image": ("a.png", blank)})
    assert answer.status_code == 422
    assert answer.json()["error"]["kind"] == "no_board"
    assert answer.json()["board"] is None
    assert answer.json()["version"] == 1


@pytest.mark.parametrize(
    ("fields", "image", "status", "said"),
    [
        ({}, b"no picture", 400, "not a picture"),
        ({}, b"", 400, "empty"),
        ({"box": "1,2,3"}, None, 400, "X0,Y0,X1,Y1"),
        ({"box": "nan,0,5,5"}, None, 400, "box needs"),
        ({"width": "0"}, None, 422, "width"),
        ({"width": "many"}, None, 422, "width"),
        ({"mines": "-1"}, None, 422, "mines"),
        ({"width": "29"}, None, 422, "29"),
        ({"model": "../../etc/passwd"}, None, 422, "no model called"),
        ({"model": "unknown"}, None, 422, "no model called"),
    ],
)
def test_parse_refuses_in_a_line(
    client: httpx.Client, fields: dict[str, str], image: bytes | None, status: int, said: str
) -> None:
    data = (SAMPLES / "expert.png").read_bytes() if image is None else image
    answer = client.post("api/parse", files={"image": ("shot.png", data)}, data=fields)
    assert answer.status_code == status, answer.text
    message = answer.json()["error"]["message"]
    assert said in message
    assert len(message.splitlines()) == 1
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 422),
        ("[]", 422),
        ("{}", 422),
        ('{"board": 5}', 422),
        ('{"board": []}', 400),
        ('{"board": ["?", "??"]}', 400),
        ('{"board": ["q"]}', 400),
        ('{"board": ["?"], "mines": 1e99}', 422),
        ('{"board": ["?"], "mines": "3"}', 422),
        ('{"board": ["?"], "extra": 1}', 422),
        ('{"board": ["\\ud800"]}', 400),
    ],
)
def test_bad_json_gets_a_json_error(client: httpx.Client, body: str, status: int) -> None:
    answer = client.post("api/solve", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in {status, 422 if status == 400 else status}
    assert set(answer.json()["error"]) == {"kind", "message"}


def test_errors_have_the_right_status(client: httpx.Client) -> None:
    assert client.get("api/solve").status_code == 405
    assert client.post("api/nothing", json={}).status_code in {404, 405}
    assert client.get("nothing.js").status_code == 404
    assert client.get("../pyproject.toml").status_code == 404
    assert client.get("%2e%2e/app.py").status_code == 404
    for answer in (client.get("api/solve"), client.get("nothing.js")):
        assert set(answer.json()["error"]) == {"kind", "message"}


def test_explain_gives_steps_tables_and_outcomes(client: httpx.Client) -> None:
    found = client.post("api/explain", json={"board": BOARD, "mines": 3, "tile": [0, 2]}).json()
    solution = analyse(Board.from_text("\n".join(BOARD)), mines=3).solution
    assert solution is not None
    row = next(one for one in found["tables"]["tiles"] if one["tile"] == [0, 2])
    assert solution.exact(0, 2) == Fraction(row["probability"])
    assert found["outcomes"]["tile"] == [0, 2]
    assert len(found["matrix"]["before"]) == 2
    outside = client.post("api/explain", json={"board": BOARD, "tile": [9, 9]})
    assert outside.status_code == 400
    certain = client.post(
        "api/explain", json={"board": ["???", "121"], "tile": [0, 0], "tables": False}
    ).json()
    assert certain["steps"]
    assert "tables" not in certain


def test_solutions_are_all_there_in_order(client: httpx.Client) -> None:
    asked = {"board": BOARD, "mines": 3, "component": 1}
    first = client.post("api/solution", json=asked | {"number": "0"}).json()
    seen = []
    for number in range(int(first["count"])):
        one = client.post("api/solution", json=asked | {"number": str(number)}).json()
        assert Board.from_text("\n".join(one["board"])).cells.shape == (3, 5)
        seen.append((len(one["mines"]), tuple(map(tuple, one["mines"]))))
    assert len(set(seen)) == len(seen)
    assert [mines for mines, _ in seen] == sorted(mines for mines, _ in seen)
    beyond = client.post("api/solution", json=asked | {"number": first["count"]})
    assert beyond.status_code == 400
    whole = client.post("api/solution", json={"board": BOARD, "mines": 3}).json()
    assert whole["component"] is None
    assert len(whole["mines"]) == 3
    assert client.post("api/solution", json={"board": ["?1", "20"]}).status_code == 422


def test_advice_and_pictures(client: httpx.Client) -> None:
    advice = client.post("api/advise", json={"board": ["????"] * 4, "mines": 3}).json()["advice"]
    assert "Nothing is open yet" in advice["reason"]
    drawn = client.post("api/picture", data={"board": "\n".join(BOARD), "mines": "3"})
    assert drawn.headers["content-type"] == "image/png"
    assert load_image(drawn.content).shape[1] > 100
    file = SAMPLES / "expert.png"
    reading = read_board(file, 30)
    fields = {
        "board": str(reading.board),
        "x": ",".join(map(str, reading.grid.x)),
        "y": ",".join(map(str, reading.grid.y)),
    }
    over = client.post("api/picture", data=fields, files={"image": ("a.png", file.read_bytes())})
    assert over.status_code == 200
    assert load_image(over.content).shape[1] % load_image(file).shape[1] == 0
    wrong = client.post(
        "api/picture", data=fields | {"x": "0,5"}, files={"image": ("a.png", file.read_bytes())}
    )
    assert wrong.status_code == 400


def test_files_are_read_and_written(client: httpx.Client) -> None:
    read = client.post("api/read-file", files={"file": ("a.mine", b"2x2x1\nHH\n11\n")}).json()
    assert read == {"board": ["??", "11"], "width": 2, "height": 2, "mines": 1, "whole": False}
    written = client.post("api/write-file", json={"board": ["??", "11"], "mines": 1, "kind": "jsminesweeper"})
    assert written.content == b"2x2x1\nHH\n11\n"
    assert "board.mine" in written.headers["content-disposition"]
    binary = client.post("api/write-file", json={"board": ["F1", "11"], "kind": "mbf"})
    assert binary.content == bytes([2, 2, 0, 1, 0, 0])
    assert client.post("api/write-file", json={"board": ["??"], "kind": "mbf"}).status_code == 400


def test_a_game_is_played_to_its_end(client: httpx.Client) -> None:
    rules = {"width": 9, "height": 9, "mines": 10, "no_guess": True}
    game = client.post("api/play", json=rules | {"action": "open", "tile": [4, 4]}).json()
    assert game["state"] == "playing" or game["state"] == "won"
    field = Minefield.from_text("\n".join(game["field"]))
    assert field.count == 10
    assert not field.mines[3:6, 3:6].any()
    kept = {"field": game["field"], "board": game["board"]}
    done = client.post("api/play", json=rules | kept | {"action": "certain"}).json()
    assert done["state"] == "won"
    lost = client.post(
        "api/play", json=rules | kept | {"action": "open", "tile": np.argwhere(field.mines)[0].tolist()}
    ).json()
    assert lost["state"] == "lost"
    cheat = kept | {"board": ["8" * 9] * 9}
    assert client.post("api/play", json=rules | cheat | {"action": "certain"}).status_code == 400
    too_many = client.post("api/play", json=rules | {"mines": 81, "action": "open", "tile": [0, 0]})
    assert too_many.status_code == 422


def test_patterns_and_formulas(client: httpx.Client) -> None:
    patterns = client.get("api/patterns").json()["patterns"]
    assert {"id", "title", "note", "board"} == set(patterns[0])
    found = client.post("api/formulas", json={"board": ["????", "?12?", "????"], "mines": 2}).json()
    assert found["placements"] == 45
    assert len(found["true"]) == 10
    assert client.post("api/formulas", json={"board": ["?" * 30] * 16, "mines": 99}).status_code == 400


def test_learning_is_stored_when_asked_and_taken_back(client: httpx.Client, served: Served) -> None:
    data = served.log.parent / "data"
    file = SAMPLES / "beginner-flat.png"
    before = list(data.rglob("*.npz")) if data.exists() else []
    answer = client.post(
        "api/learn",
        files={"image": (file.name, file.read_bytes())},
        data={"board": (SAMPLES / "beginner-flat.txt").read_text(), "theme": "flat"},
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["theme"] == "flat"
    assert answer.json()["wrong_after"] == []
    assert (data / "themes" / "flat.npz").exists()
    assert "flat" in client.post("api/unlearn").json()["undone"]
    assert list(data.glob("themes/*.npz")) == before


# Strangers


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a@127.0.0.1"]
)
def test_other_names_are_not_answered(served: Served, host: str) -> None:
    place = urlsplit(served.address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port or 0)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    assert connection.getresponse().status in {400, 421}
    connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_other_pages_are_not_answered(client: httpx.Client, headers: dict[str, str]) -> None:
    assert client.post("api/solve", json={"board": ["?"]}, headers=headers).status_code == 403
    assert client.get("api/patterns", headers=headers).status_code == 403


def test_the_page_itself_and_links_to_it_are_answered(client: httpx.Client, served: Served) -> None:
    own = {"Origin": served.address.rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert client.post("api/solve", json={"board": ["?"]}, headers=own).status_code == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("", headers=link).status_code == 200


def test_headers_keep_the_page_to_itself(client: httpx.Client) -> None:
    assert client.head("").status_code == client.head("style.css").status_code == 200
    for path in ("", "main.js", "api/about", "nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


@pytest.mark.parametrize(
    ("bound", "name", "answered"),
    [
        ("127.0.0.1", "localhost:80", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "[::1]:8080", True),
        ("127.0.0.1", "192.168.1.5", False),
        ("127.0.0.1", "example.org", False),
        ("0.0.0.0", "192.168.1.5:8585", True),
        ("0.0.0.0", "[fe80::1]", True),
        ("0.0.0.0", "example.org", False),
        ("0.0.0.0", f"{socket.gethostname()}:8585", True),
        ("192.168.1.5", "192.168.1.5", True),
        ("127.0.0.1", None, False),
        ("127.0.0.1", "[::1", False),
    ],
)
def test_which_names_are_this_server(bound: str, name: str | None, answered: bool) -> None:
    assert Hosts(bound).answers_to(name) is answered


# Limits


def test_too_large_is_said_before_it_is_read(served: Served) -> None:
    place = urlsplit(served.address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port or 0)
    connection.putrequest("POST", "/api/parse")
    connection.putheader("Content-Type", "multipart/form-data; boundary=x")
    connection.putheader("Content-Length", str(10**10))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["error"]["kind"] == "too_large"
    connection.close()


def test_too_large_is_noticed_without_a_length(served: Served) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'
        for _ in range(40):
            yield bytes(2**20)

    answer = httpx.post(
        f"{served.address}api/parse",
        content=chunks(),
        headers={"Content-Type": "multipart/form-data; boundary=x"},
        timeout=60,
    )
    assert answer.status_code == 413


def test_a_picture_of_too_many_pixels_is_refused(client: httpx.Client) -> None:
    data = io.BytesIO()
    Image.new("1", (9000, 9000)).save(data, "PNG")
    answer = client.post("api/parse", files={"image": ("bomb.png", data.getvalue())})
    assert answer.status_code == 400
    assert "pixels" in answer.json()["error"]["message"] or "px" in answer.json()["error"]["message"]


def test_a_board_of_too_many_tiles_is_refused(client: httpx.Client) -> None:
    answer = client.post("api/solve", json={"board": ["?" * 1000] * 101})
    assert answer.status_code == 400
    assert "too large" in answer.json()["error"]["message"]


class Dropped:
    """A request whose sender goes away after a while."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(self.seconds)
        return {"type": "http.disconnect"}


def task(board: list[str]) -> dict[str, object]:
    return {"board": board, "mines": None, "trust_flags": False, "exact": True, "local": True, "advice": True}


@pytest.fixture
def workers() -> Iterator[Workers]:
    pool = Workers(Limits(seconds=3, workers=1, waiting=2))
    yield pool
    pool.close()


def processes_below(parent: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def test_work_that_takes_too_long_is_ended(workers: Workers) -> None:
    quick = asyncio.run(workers.perform(Dropped(999), "solve", task(["??", "11"])))  # type: ignore[arg-type]
    assert quick.status == 200
    start = time.monotonic()
    late = asyncio.run(workers.perform(Dropped(999), "play", DENSE))  # type: ignore[arg-type]
    assert late.status == 503, late.body[:300]
    assert json.loads(late.body)["error"]["kind"] == "too_slow"
    assert time.monotonic() - start < 10
    again = asyncio.run(workers.perform(Dropped(999), "solve", task(["??", "11"])))  # type: ignore[arg-type]
    assert again.status == 200


DENSE = {
    "width": 16, "height": 16, "mines": 130, "first_click": "opening", "no_guess": True,
    "field": None, "board": None, "action": "open", "tile": (8, 8),
}  # fmt: skip
"""A board so dense that the search for one without a guess goes on for 20 seconds."""


def test_a_dropped_request_stops_costing(workers: Workers) -> None:
    asyncio.run(workers.perform(Dropped(999), "solve", task(["??", "11"])))  # type: ignore[arg-type]
    start = time.monotonic()
    answer = asyncio.run(workers.perform(Dropped(0.2), "play", DENSE))  # type: ignore[arg-type]
    assert answer.status == 503
    assert time.monotonic() - start < 2.5, "it waited for the limit of time instead"
    again = asyncio.run(workers.perform(Dropped(999), "solve", task(["??", "11"])))  # type: ignore[arg-type]
    assert again.status == 200


def test_too_many_at_once_are_sent_away(workers: Workers) -> None:
    async def all_at_once() -> list[int]:
        asked = [workers.perform(Dropped(999), "solve", task(["??", "11"])) for _ in range(8)]  # type: ignore[arg-type]
        return [answer.status for answer in await asyncio.gather(*asked)]

    statuses = asyncio.run(all_at_once())
    assert statuses.count(200) == 2
    assert statuses.count(503) == 6


def test_a_worker_that_dies_is_told_and_replaced(served: Served, client: httpx.Client) -> None:
    # Which child is a worker is not told: all but the helper of multiprocessing are.
    assert client.post("api/solve", json={"board": ["?"]}).status_code == 200
    for child in processes_below(served.process.pid):
        command = Path(f"/proc/{child}/cmdline").read_bytes() if Path("/proc").exists() else b""
        if b"resource_tracker" not in command:
            os.kill(child, signal.SIGKILL)
    end = time.monotonic() + 30
    while client.post("api/solve", json={"board": ["?"]}).status_code != 200:
        assert time.monotonic() < end
        time.sleep(0.2)


# The command


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "visionsweeper", "serve", "--no-browser", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_ports_and_addresses_that_cannot_be(served: Served) -> None:
    port = str(urlsplit(served.address).port)
    taken = run("--port", port)
    assert taken.returncode == 3
    assert f"cannot listen on port {port}" in taken.stderr
    assert len(taken.stderr.splitlines()) == 1
    unknown = run("--host", "no.such.host.invalid")
    assert unknown.returncode == 3
    assert len(unknown.stderr.splitlines()) == 1
    assert run("--port", "0").returncode == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_quietly_and_leaves_no_process(tmp_path: Path, number: int) -> None:
    with serving(tmp_path, "--port", str(free_port())) as one:
        assert httpx.post(f"{one.address}api/solve", json={"board": ["?"]}, timeout=60).status_code == 200
        children = processes_below(one.process.pid)
        assert children
        assert one.stop(number) == 0
        assert "Traceback" not in one.log.read_text()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_on_all_addresses_it_says_who_can_reach_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "--port", str(free_port())) as one:
        assert httpx.get(one.address).status_code == 200
        end = time.monotonic() + 10
        while "everybody" not in one.log.read_text():
            assert time.monotonic() < end
            time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_without_its_packages_it_says_what_to_install(tmp_path: Path) -> None:
    # A folder before all others hides a package as if it were not there.
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'fastapi' else found(name, *rest)\n"
    )
    told = subprocess.run(
        [sys.executable, "-m", "visionsweeper", "serve"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 3
    assert told.stderr == (
        "visionsweeper: the page needs some more packages: pip install 'visionsweeper[web]'\n"
    )


def test_a_client_that_hangs_up_frees_its_worker(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", str(free_port())) as one:
        assert httpx.post(f"{one.address}api/solve", json={"board": ["?"]}, timeout=60).status_code == 200
        before = set(processes_below(one.process.pid))
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{one.address}api/play", json=DENSE, timeout=0.5)
        end = time.monotonic() + 8
        while before <= set(processes_below(one.process.pid)):
            assert time.monotonic() < end, "the work goes on though nobody waits for it"
            time.sleep(0.1)


def test_thousands_of_unknown_fields_are_refused_at_once(client: httpx.Client) -> None:
    start = time.monotonic()
    answer = client.post("api/solve", json={f"k{at}": 1 for at in range(20_000)})
    assert answer.status_code == 422
    assert time.monotonic() - start < 3
    assert client.post("api/solve", json={"board": ["?" * 1000] * 3000}).status_code == 413


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\nHost: 127", b"POST /api/solve HTTP/1.1\r\n"])
def test_it_ends_though_somebody_keeps_a_request_open(tmp_path: Path, sent: bytes) -> None:
    port = free_port()
    with serving(tmp_path, "--port", str(port)) as one, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(sent)
        time.sleep(0.5)
        start = time.monotonic()
        assert one.stop() == 0
        assert time.monotonic() - start < 10
        assert "Traceback" not in one.log.read_text()


def test_an_address_of_another_machine_is_told() -> None:
    told = run("--host", "192.0.2.5")
    assert told.returncode == 3
    assert "does not have the address 192.0.2.5" in told.stderr


def test_what_was_sent_wrongly_is_told_in_plain_words(client: httpx.Client) -> None:
    told = client.post("api/parse", data={"image": "text"}).json()["error"]["message"]
    assert told == "image: it has to be sent as a file, with a name"
    told = client.post("api/solve", content=b'{"board": ["?"]}').json()["error"]["message"]
    assert "Content-Type: application/json" in told
    assert client.post("api/parse").json()["error"]["message"] == "image: it is missing"
