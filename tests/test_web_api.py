"""The HTTP API: the same answers as the library, and plain errors."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image
from pydantic import TypeAdapter
from serving import Served

from visionsweeper.board import Board
from visionsweeper.drawing.board import draw_board
from visionsweeper.game.minefield import Minefield
from visionsweeper.io.images import load_image
from visionsweeper.pipeline import advise, analyse, read_board
from visionsweeper.report.as_json import to_dict
from visionsweeper.report.result import Report
from visionsweeper.tutorial.patterns import patterns
from visionsweeper.web.schemas import ParseResult, SolveResult

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
BOARD = ["?????", "?11??", "?????"]


def png(pixels: np.ndarray) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return data.getvalue()


def test_solve_answers_what_the_library_says(client: httpx.Client) -> None:
    for mines in (None, 3):
        answer = client.post("api/solve", json={"board": BOARD, "mines": mines, "exact": True}).json()
        analysis = analyse(Board.from_text("\n".join(BOARD)), mines=mines)
        expected = to_dict(Report(analysis=analysis, advice=advise(analysis)), exact=True)
        assert {key: answer[key] for key in expected} == json.loads(json.dumps(expected))
        TypeAdapter(SolveResult).validate_python(answer)
    least, most = answer["mine_range"]
    fits = [m for m in range(16) if analyse(Board.from_text("\n".join(BOARD)), mines=m).problem is None]
    assert (least, most) == (fits[0], fits[-1])


def test_what_hangs_on_doubted_tiles_is_not_called_certain(client: httpx.Client) -> None:
    board = ["?10001?", "1100011", "0000000"]
    sure = client.post("api/solve", json={"board": board}).json()
    assert sure["mine"] == [[0, 0], [0, 6]]
    doubted = [[0, 1], [1, 0], [1, 1]]
    found = client.post("api/solve", json={"board": board, "uncertain": doubted}).json()
    assert (found["mine"], found["mine_if_read_right"]) == ([[0, 6]], [[0, 0]])
    told = client.post("api/explain", json={"board": board, "uncertain": doubted, "tile": [0, 0]}).json()
    assert told["hangs_on"]
    assert [0, 6] not in told["hangs_on"]
    outside = client.post("api/solve", json={"board": board, "uncertain": [[9, 9]]})
    assert outside.status_code == 400
    assert "outside the board" in outside.json()["error"]["message"]


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
    TypeAdapter(ParseResult).validate_python(found)
    reading = read_board(file, 30)
    analysis = analyse(reading, mines=99)
    expected = to_dict(Report(image="expert.png", analysis=analysis, advice=advise(analysis)))
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
        ({"box": "nan,0,5,5"}, None, 400, "is not a box"),
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
        ('{"board": ["\\ud800"]}', 422),
    ],
)
def test_bad_json_gets_a_json_error(client: httpx.Client, body: str, status: int) -> None:
    answer = client.post("api/solve", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"kind", "message"}


def test_errors_have_the_right_status(client: httpx.Client) -> None:
    assert client.get("api/solve").status_code == 405
    assert client.post("api/nothing", json={}).status_code == 404
    assert client.get("nothing.js").status_code == 404
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


def test_the_tables_of_one_tile_are_those_of_all(client: httpx.Client) -> None:
    asked = {"board": ["?????", "?12??", "?????"], "mines": 3, "tile": [0, 1]}
    whole = client.post("api/explain", json=asked).json()["tables"]
    one = client.post("api/explain", json={**asked, "tables": "tile"}).json()["tables"]
    assert one["tiles"] == [row for row in whole["tiles"] if row["tile"] == [0, 1]] != []
    assert one["mine_counts"] == []
    alike = set(whole) - {"tiles", "mine_counts"}
    assert {name: one[name] for name in alike} == {name: whole[name] for name in alike}


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
    for x in ("0,5", "", ",".join(str(24 * at) for at in range(1000, 1031))):
        picture = {"image": ("a.png", file.read_bytes())}
        assert client.post("api/picture", data=fields | {"x": x}, files=picture).status_code == 400


def test_an_assumed_mine_count_makes_paler_marks_on_a_picture(client: httpx.Client) -> None:
    board = Board.from_text(
        "*2*2*2*2*\n121212121\n111111000\n1*11*1000\n111111000\n111001110\n1*1001*21\n1110012??\n0000001??\n"
    )
    pixels, grid = draw_board(board)
    shot = io.BytesIO()
    Image.fromarray(pixels).save(shot, "PNG")
    fields = {"board": str(board), "x": ",".join(map(str, grid.x)), "y": ",".join(map(str, grid.y))}
    assumed, given = (
        load_image(
            client.post(
                "api/picture", data=fields | mines, files={"image": ("a.png", shot.getvalue())}
            ).content
        )
        for mines in ({}, {"mines": "10"})
    )
    corner = (slice(round(grid.y[7]), round(grid.y[9])), slice(round(grid.x[7]), round(grid.x[9])))
    assert not np.array_equal(assumed[corner], given[corner])


def test_files_are_read_and_written(client: httpx.Client) -> None:
    read = client.post("api/read-file", files={"file": ("a.mine", b"2x2x1\nHH\n11\n")}).json()
    assert read == {"board": ["??", "11"], "width": 2, "height": 2, "mines": 1, "field": None}
    written = client.post("api/write-file", json={"board": ["??", "11"], "mines": 1, "kind": "jsminesweeper"})
    assert written.content == b"2x2x1\nHH\n11\n"
    assert "board.mine" in written.headers["content-disposition"]
    binary = client.post("api/write-file", json={"board": ["F1", "11"], "kind": "mbf"})
    assert binary.content == bytes([2, 2, 0, 1, 0, 0])
    assert client.post("api/write-file", json={"board": ["??"], "kind": "mbf"}).status_code == 400
    known = client.post("api/read-file", files={"file": ("a.mbf", binary.content)}).json()
    assert known["field"] == ["*.", ".."]


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


def test_formulas_are_held_against_the_truth(client: httpx.Client) -> None:
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


def test_learned_themes_can_be_left_out_and_techniques_chosen(client: httpx.Client) -> None:
    shot = {"image": ("a.png", (SAMPLES / "beginner-flat.png").read_bytes())}
    found = client.post("api/parse", data={"no_learned": "true", "details": "true"}, files=shot).json()
    assert Board.from_text("\n".join(found["board"])) == Board.from_text(
        (SAMPLES / "beginner-flat.txt").read_text()
    )
    assert len(found["reading"]["x"]) == found["width"] + 1
    asked = {"board": ["???", "121"], "tables": False}
    by_one = client.post("api/explain", json=asked | {"technique": "single"}).json()["steps"]
    by_rules = client.post("api/explain", json=asked | {"technique": "subset"}).json()["steps"]
    assert by_one == []
    assert {step["technique"] for step in by_rules} >= {"subset"}


def test_only_the_size_of_a_game_that_is_played_counts(client: httpx.Client) -> None:
    rules = {"width": 9, "height": 9, "mines": 1, "action": "open", "tile": [0, 0]}
    large = ["." * 1000] * 900
    answer = client.post("api/play", json=rules | {"field": large})
    assert answer.status_code == 400
    assert "too large" in answer.json()["error"]["message"]


def test_patterns_come_with_their_certain_tiles(client: httpx.Client) -> None:
    found = client.get("api/patterns").json()["patterns"]
    assert len(found) == len(patterns())
    for one in found:
        solution = analyse(Board.from_text("\n".join(one["board"])), local=True).solution
        assert solution is not None
        assert set(one) == {"id", "title", "note", "board", "safe", "mine"}
        assert [list(tile) for tile in solution.safe] == one["safe"]
        assert [list(tile) for tile in solution.mine] == one["mine"]


def test_what_was_sent_wrongly_is_told_in_plain_words(client: httpx.Client) -> None:
    told = client.post("api/parse", data={"image": "text"}).json()["error"]["message"]
    assert told == "image: it must be sent as a file, with a name"
    told = client.post("api/solve", content=b'{"board": ["?"]}').json()["error"]["message"]
    assert "Content-Type: application/json" in told
    assert client.post("api/parse").json()["error"]["message"] == "image: it is missing"
