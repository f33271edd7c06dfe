"""The dashboard's server: who it answers, what it answers, and what it never does."""

import csv
import datetime as dt
import hashlib
import html
import http.client
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from benchmarks.served_dashboard import served
from spark_jobs.dashboard.csv_download import csv_lines
from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.dashboard.serve import is_loopback

DAY = dt.date(2026, 11, 18)
HOSTILE = "x' or '1'='1"
DATA_DOCS = "<!doctype html><title>Data quality by day</title>"
STRANGE = "us/<b>east"
REPORTS = {
    day_file_path("eu", DAY): "<!doctype html><title>eu</title>",
    day_file_path(STRANGE, DAY): "<!doctype html><title>us</title>",
    day_file_path("eu", DAY + dt.timedelta(1)): "<!doctype html><title>the next day</title>",
    "reports/secret.html": "no report of a run",
}
HEALTH = {
    **{"cluster": "eu", "day": DAY, "group_id": HOSTILE, "group_type": "classic", "state": "stable", "members": 3},
    **{"topics": 1, "partitions": 3, "rebalances": 2**60, "paused_partition_ms": 7, "redelivered": 0, "score": 50.0},
    **{"replay_window_p99": 1.5, "spread": 1, "lag_max": None, "findings": 1},
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dashboard") / "lake"
    write_deltalake(
        folder / "gold" / "group_health",
        pa.Table.from_pylist(
            [HEALTH, {**HEALTH, "group_id": "=1+1", "lag_max": 5}, {**HEALTH, "cluster": STRANGE, "group_id": "g"}]
        ),
    )
    write_deltalake(
        folder / "gold" / "lag_health", pa.table({"cluster": ["eu"], "day": [DAY], "topic": ["t"], "lag_max": [1]})
    )
    for site in (folder / "data_docs", folder / "data_docs" / "2026-11-18" / "cluster=a%20b"):
        site.mkdir(parents=True)
        (site / "index.html").write_text(DATA_DOCS)
    (folder / "data_docs" / "out").symlink_to(folder / "gold")
    for path, text in REPORTS.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def address(lake: Path) -> Iterator[str]:
    with served(str(lake)) as address:
        yield address


def get(
    address: str, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()


def test_a_panel_answers_with_bound_parameters_and_shows_a_query_that_can_be_pasted(address: str) -> None:
    query = urlencode({"cluster": "eu", "day": DAY, "group": HOSTILE})
    status, _, text = get(address, f"/api/panel/group/health?{query}")
    answer = json.loads(text)
    assert status == 200
    assert len(answer["rows"]) == 1
    assert "group_id = 'x\\' or \\'1\\'=\\'1'" in answer["sql"]
    values = dict(zip(answer["columns"], answer["rows"][0], strict=True))
    assert (values["score"], values["lag_max"], values["rebalances"]) == (50.0, None, str(2**60))


def test_what_is_not_chosen_is_nothing_and_not_everything(address: str) -> None:
    answer = json.loads(get(address, "/api/panel/today/groups")[2])
    assert answer["rows"] == []


def test_the_newest_day_and_all_names_can_be_chosen(address: str) -> None:
    choices = json.loads(get(address, "/api/choices")[2])
    assert choices == {
        **{"clusters": ["eu", STRANGE], "days": ["2026-11-18"], "built": True},
        **{"groups": ["=1+1", HOSTILE], "topics": ["t"]},
    }


def test_a_table_that_the_lake_does_not_have_yet_is_named(address: str) -> None:
    assert json.loads(get(address, "/api/panel/today/incidents")[2])["missing"] == "gold.incidents"


def test_a_download_has_no_cell_that_a_spreadsheet_would_run(address: str) -> None:
    status, headers, text = get(address, f"/csv/today/groups.csv?cluster=eu&day={DAY}")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert (status, headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert headers["content-disposition"] == 'attachment; filename="today-groups.csv"'
    assert [row["group_id"] for row in rows] == ["'=1+1", HOSTILE]
    dangerous = ["=1", "+1", "-1", "@a", "\t=1", "\r=1", " =1", "\N{FULLWIDTH EQUALS SIGN}1", "-2 or more"]
    shown = list(csv.reader(io.StringIO("".join(csv_lines(["a"], [[value] for value in dangerous])), newline="")))
    # What follows a tab or a line end may be a cell of its own.
    assert [row[0] for row in shown[1:]] == [
        f"'{value}".replace("\t=", "\t'=").replace("\r=", "\r'=") for value in dangerous
    ]
    assert list(csv_lines(["a"], [["x;=1+1"], ["y\t=1"], ["z\uff0d1"]])) == ["a\r\nx;'=1+1\r\ny\t'=1\r\nz\uff0d1\r\n"]
    assert "".join(csv_lines(["a", "b"], [[-3, None], [1.5, ["x"]]])) == 'a,b\r\n-3,\r\n1.5,"[""x""]"\r\n'


def test_every_answer_forbids_the_page_to_reach_anything_else(address: str) -> None:
    for path in ("/", "/api/pages", "/static/pages.js", "/nothing", "/api/panel/today/nothing"):
        _, headers, _ = get(address, path)
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'"), path
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_name_of_the_web_that_points_to_this_machine_is_refused(address: str) -> None:
    port = urlsplit(address).port
    assert get(address, "/", {"Host": f"localhost:{port}"})[0] == 200
    malformed = ("evil.example:", "evil.example:99999999", f"evil.example@127.0.0.1:{port}", "127.0.0.1#.evil.example")
    for host in ("attacker.example", f"attacker.example:{port}", "127.0.0.1.attacker.example", *malformed):
        assert get(address, "/api/choices", {"Host": host})[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_the_server_only_reads(address: str, method: str) -> None:
    assert get(address, "/api/choices", method=method)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../application.py",
        "/static/%2e%2e/application.py",
        "/api/panel/..%2f/x",
        "/csv/../x.csv",
        "/data_docs/../gold/group_health/_delta_log/00000000000000000000.json",
        "/data_docs/%2e%2e/gold/group_health/_delta_log/00000000000000000000.json",
        "/data_docs/..%2fgold/group_health/_delta_log/00000000000000000000.json",
        "/data_docs/out/group_health/_delta_log/00000000000000000000.json",
        "/data_docs//etc/passwd",
        "/data_docs/2026-11-18/",
    ],
)
def test_no_other_file_is_served(address: str, path: str) -> None:
    assert get(address, path)[0] == 404


def test_data_docs_are_served_and_neither_run_scripts_nor_load_anything(address: str) -> None:
    for path in ("/data_docs/", "/data_docs/index.html", "/data_docs/2026-11-18/cluster%3Da%2520b/index.html"):
        status, headers, text = get(address, path)
        assert (status, text) == (200, DATA_DOCS), path
        assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'; base-uri")
        assert "script-src" not in headers["content-security-policy"]
    assert get(address, "/data_docs/", method="POST")[0] == 405
    # The policy of all other pages stays as strict as it is.
    assert "unsafe" not in get(address, "/data_docs")[1]["content-security-policy"]


def test_who_is_not_on_this_machine_needs_the_token(lake: Path) -> None:
    with served(str(lake), token="s3cret") as address:
        for path in (
            "/",
            "/api/choices",
            "/static/pages.js",
            "/csv/today/groups.csv",
            "/data_docs/",
            "/?token=wrong",
            "/?token=",
        ):
            assert get(address, path)[0] == 401, path
        status, headers, _ = get(address, "/?page=lag&token=s3cret")
        assert (status, headers["location"]) == (303, "/?page=lag")
        cookie = headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert get(address, "/api/choices", {"Cookie": cookie.split(";")[0]})[0] == 200
        assert get(address, "/api/choices", {"Cookie": "lagoon_token=wrong"})[0] == 401


def test_addresses_of_this_machine_only_need_no_token() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.8.9.1")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.4", "example.org", "")] == [False] * 5


def test_nothing_is_written_to_the_lake(address: str, lake: Path) -> None:
    def checksums() -> dict[Path, str]:
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in lake.rglob("*") if path.is_file()}

    before = checksums()
    assert before
    for path in ("/api/choices", f"/api/panel/today/groups?cluster=eu&day={DAY}", "/csv/today/groups.csv"):
        get(address, path)
    assert checksums() == before


def test_the_report_of_a_day_is_served_and_its_own_policy_decides_what_it_may_do(address: str) -> None:
    status, headers, text = get(address, f"/reports?day={DAY + dt.timedelta(1)}")
    assert (status, text) == (200, "<!doctype html><title>the next day</title>")
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'unsafe-inline'; style-src")


def test_where_several_clusters_have_a_report_of_the_day_each_has_a_link(address: str) -> None:
    status, headers, text = get(address, f"/reports?day={DAY}")
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'")
    links = re.findall('<a href="([^"]*)">([^<]*)</a>', text)
    assert [name for _, name in links] == ["eu", "us/&lt;b&gt;east"]
    pages = [get(address, html.unescape(link)) for link, _ in links]
    assert [page for *_, page in pages] == [REPORTS[day_file_path(name, DAY)] for name in ("eu", STRANGE)]


@pytest.mark.parametrize(
    "query", ["", "?day=today", "?day=2020-01-01", f"?day={DAY}&cluster=unknown", f"?day={DAY}&cluster=../secret"]
)
def test_what_has_no_report_is_a_sentence(address: str, query: str) -> None:
    status, _, text = get(address, f"/reports{query}")
    assert status == 404
    assert text.startswith(("Name a day: ", "The lake has no report of "))
