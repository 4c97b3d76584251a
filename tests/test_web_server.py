"""The server: nothing for strangers, limits that hold, and a command that begins and ends as it should."""

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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from PIL import Image
from serving import Served, serving

from visionsweeper.options import SolveOptions
from visionsweeper.web.app import create_app
from visionsweeper.web.guard import Hosts
from visionsweeper.web.limits import Limits
from visionsweeper.web.played import Played
from visionsweeper.web.workers import Workers

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


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
    # A form on another page navigates too, but it is no link.
    assert client.post("api/solve", json={"board": ["?"]}, headers=link).status_code == 403


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
    return {"board": board, "solve": SolveOptions(local=True), "exact": True, "advice": True}


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


DENSE_GAME = {"width": 16, "height": 16, "mines": 130, "first_click": "opening", "no_guess": True}
DENSE = {
    "played": Played(**DENSE_GAME),  # type: ignore[arg-type]
    "field": None, "board": None, "action": "open", "tile": (8, 8), "style": "no_flags",
}  # fmt: skip
"""A board so dense that the search for one without a guess goes on for 20 seconds."""

DENSE_REQUEST = {name: value for name, value in DENSE.items() if name != "played"} | DENSE_GAME
"""The same as the API takes it."""


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
    assert statuses.count(200) == 3  # one is worked on, two wait
    assert statuses.count(503) == 5


def test_who_waits_has_a_place_in_line(workers: Workers) -> None:
    async def in_line() -> tuple[list[int | None], list[int | None]]:
        names = ["a", "b", "c"]
        asked = [
            asyncio.create_task(workers.perform(Dropped(999), "solve", task(["??", "11"]), name))  # type: ignore[arg-type]
            for name in names
        ]
        await asyncio.sleep(0)
        places = [workers.place(name) for name in [*names, "d"]]
        assert [answer.status for answer in await asyncio.gather(*asked)] == [200] * 3
        return places, [workers.place(name) for name in names]

    assert asyncio.run(in_line()) == ([0, 1, 2, None], [None] * 3)


def test_the_place_in_line_can_be_asked_for_meanwhile(client: httpx.Client) -> None:
    with ThreadPoolExecutor(1) as thread:
        dense = thread.submit(client.post, "api/play", json=DENSE_REQUEST, headers={"X-Ticket": "mine"})
        end = time.monotonic() + 60
        while client.get("api/place", params={"ticket": "mine"}).json() != {"place": 0, "done": None}:
            assert time.monotonic() < end
            assert not dense.done()
        assert client.get("api/place", params={"ticket": "other"}).json() == {"place": None, "done": None}


def test_a_worker_that_dies_is_told_and_replaced(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", str(free_port())) as one:
        assert httpx.post(f"{one.address}api/solve", json={"board": ["?"]}, timeout=60).status_code == 200
        with ThreadPoolExecutor(1) as thread:
            victims = [
                child
                for child in processes_below(one.process.pid)
                if "resource_tracker" not in told_by(child)
            ]
            before = sum(map(ticks_of, victims))
            dense = thread.submit(httpx.post, f"{one.address}api/play", json=DENSE_REQUEST, timeout=60)
            end = time.monotonic() + 60
            while sum(map(ticks_of, victims)) < before + 20:
                assert time.monotonic() < end, "no worker began with it"
                time.sleep(0.02)
            for child in victims:
                os.kill(child, signal.SIGKILL)
            answer = dense.result()
        assert victims
        assert (answer.status_code, answer.json()["error"]["kind"]) == (500, "unexpected")
        assert "crashed" in answer.json()["error"]["message"]
        # All of them were killed at once: what is asked for before the pool has noticed may fail as well.
        end = time.monotonic() + 60
        while httpx.post(f"{one.address}api/solve", json={"board": ["?"]}, timeout=60).status_code != 200:
            assert time.monotonic() < end
            time.sleep(0.1)


def told_by(process: int) -> str:
    """The command line of a process; which child is a worker and which multiprocessing's helper it tells."""
    return Path(f"/proc/{process}/cmdline").read_bytes().decode()


def ticks_of(process: int) -> int:
    """The processor time that a process has used, in the kernel's ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_a_sender_that_falls_silent_is_told(tmp_path: Path) -> None:
    app = create_app(Limits(patience=0.3))
    with listening(app) as (host, port), socket.create_connection((host, port), 10) as line:
        head = f"POST /api/solve HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        line.sendall(f"{head}Content-Length: 50\r\n\r\n{{".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 408 ")


@contextmanager
def listening(app: FastAPI) -> Iterator[tuple[str, int]]:
    """The application in a thread of its own."""
    server = uvicorn.Server(uvicorn.Config(app, port=free_port(), log_level="error"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        end = time.monotonic() + 60
        while not server.started:
            assert time.monotonic() < end
            time.sleep(0.05)
        yield "127.0.0.1", server.config.port
    finally:
        server.should_exit = True
        thread.join()


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
    end = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_on_all_addresses_it_says_who_can_reach_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "--port", str(free_port())) as one:
        assert httpx.get(one.address, timeout=60).status_code == 200
        end = time.monotonic() + 60
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
            httpx.post(f"{one.address}api/play", json=DENSE_REQUEST, timeout=0.5)
        end = time.monotonic() + 20
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
        assert httpx.get(one.address, timeout=60).status_code == 200  # so it has taken the connection before
        start = time.monotonic()
        assert one.stop() == 0
        assert time.monotonic() - start < 10
        assert "Traceback" not in one.log.read_text()


def test_an_address_of_another_machine_is_told() -> None:
    told = run("--host", "192.0.2.5")
    assert told.returncode == 3
    assert "does not have the address 192.0.2.5" in told.stderr


def test_what_cannot_be_stored_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder for learned themes should be")
    with serving(tmp_path, "--port", str(free_port())) as one:
        shot = {"image": ("a.png", (SAMPLES / "beginner-flat.png").read_bytes())}
        board = (SAMPLES / "beginner-flat.txt").read_text()
        answer = httpx.post(f"{one.address}api/learn", data={"board": board}, files=shot, timeout=60)
        assert answer.status_code == 507
        assert set(answer.json()["error"]) == {"kind", "message"}


THREADS = """
from threadpoolctl import threadpool_info

from visionsweeper.web.limits import Limits
from visionsweeper.web.workers import Workers

if __name__ == "__main__":
    workers = Workers(Limits(workers=1))
    libraries = workers._pool.schedule(threadpool_info).result()
    workers.close()
    print({library["num_threads"] for library in libraries if library["user_api"] == "blas"})
"""


def test_workers_keep_numpy_to_one_thread_whatever_program_serves_the_page(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(THREADS)
    environment = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    told = subprocess.run(
        [sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout == "{1}\n"
