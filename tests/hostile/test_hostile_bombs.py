"""Files that unfold without end: refused in a few lines, in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.bounded import MOST_SECONDS, Server
from tests.support.catalogue import columns, tree
from tests.support.spoiled import ROWS, Files, refused, request_of, write

BLOCK = 2**20
Spoiled = tuple[dict[str, Any], Files]


def gzipped(head: bytes, block: bytes, blocks: int) -> bytes:
    """Return a gzip file of a head and `blocks` times a block, made without holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packer.compress(head), *(packer.compress(block) for _ in range(blocks))]
    return b"".join([*pieces, packer.flush()])


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def zipped_bomb(name: str, head: bytes, block: bytes, blocks: int) -> bytes:
    """Return a zip file of one member that unfolds to `blocks` blocks."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w") as member,
    ):
        member.write(head)
        for _ in range(blocks):
            member.write(block)
    return made.getvalue()


HEAD = b"id,y,p\n"
LINES = (b"a" * 60 + b",1,.5\n") * (BLOCK // 66)


def gzip_of_rows() -> Spoiled:
    return {"path": "t.csv.gz"}, {"t.csv.gz": gzipped(HEAD, LINES, 300)}


def gzip_of_one_line() -> Spoiled:
    return {"path": "t.csv.gz"}, {"t.csv.gz": gzipped(b"", b"a" * BLOCK, 1000)}


def gzip_of_parquet() -> Spoiled:
    return {"path": "t.parquet.gz"}, {"t.parquet.gz": gzipped(b"PAR1", bytes(BLOCK), 1000)}


def zip_of_rows() -> Spoiled:
    return {"path": "t.csv.zip"}, {"t.csv.zip": zipped_bomb("t.csv", HEAD, LINES, 300)}


def zip_that_hides_its_size() -> Spoiled:
    raw = zipped_bomb("t.csv", HEAD, LINES, 20)
    size = struct.pack("<I", len(HEAD) + 20 * len(LINES))
    assert size in raw
    return {"path": "t.csv.zip"}, {"t.csv.zip": raw.replace(size, struct.pack("<I", 100))}


def zip_in_a_zip() -> Spoiled:
    inner = zipped({"t.csv": ROWS})
    return {"path": "t.zip"}, {"t.zip": zipped({"t.csv.zip": inner})}


def zip_of_two() -> Spoiled:
    return {"path": "t.zip"}, {"t.zip": zipped({"t.csv": ROWS, "u.csv": ROWS})}


def zip_of_a_path_that_leads_out() -> Spoiled:
    return {"path": "t.zip"}, {"t.zip": zipped({"../../t.exe": ROWS})}


def parquet_of_a_billion_rows() -> Spoiled:
    made = io.BytesIO()
    dictionary = pa.DictionaryArray.from_arrays(pa.array(np.zeros(BLOCK, np.int8)), ["a"])
    part = pa.table({"id": dictionary, "y": dictionary, "p": dictionary})
    with pq.ParquetWriter(made, part.schema) as writer:
        for _ in range(64):
            writer.write_table(part)
    return {"path": "t.parquet"}, {"t.parquet": made.getvalue()}


def parquet_that_declares_too_many_rows() -> Spoiled:
    made = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"] * 77, "y": [1] * 77, "p": [0.5] * 77}), made)
    raw = made.getvalue()
    # 77 as thrift writes it (zigzag), where the footer tells the number of rows.
    raw = raw.replace(b"\x16\x9a\x01", b"\x16\xfe\x7f", 1)
    assert pq.ParquetFile(io.BytesIO(raw)).metadata.num_rows == 8191
    return {"path": "t.parquet"}, {"t.parquet": raw}


def features_in(name: str, raw: bytes) -> Spoiled:
    return {"features": {"path": name}}, {"t.csv": ROWS, name: raw}


def npz_that_unfolds() -> Spoiled:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (500 * BLOCK // 8,)}
    )
    return features_in("f.npz", zipped_bomb("a.npy", head.getvalue(), bytes(BLOCK), 500))


def npy_that_declares_too_much() -> Spoiled:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 10)}
    )
    return features_in("f.npy", head.getvalue() + bytes(100))


def line_of_ten_megabytes() -> Spoiled:
    return {}, {"t.csv": b"a" * (10 * BLOCK)}


def line_of_five_million_cells() -> Spoiled:
    return {}, {"t.csv": b"a," * (5 * BLOCK)}


def line_of_twenty_megabytes_of_cells() -> Spoiled:
    return {}, {"t.csv": HEAD + b"a," * (10 * BLOCK)}


def digits_without_end() -> Spoiled:
    return {}, {"t.csv": HEAD + b"a,1," + b"1" * 100_000 + b"\nb,0,1e999999999\n"}


TABLES: list[Callable[[], Spoiled]] = [
    gzip_of_rows,
    gzip_of_one_line,
    gzip_of_parquet,
    zip_of_rows,
    zip_that_hides_its_size,
    zip_in_a_zip,
    zip_of_two,
    zip_of_a_path_that_leads_out,
    parquet_of_a_billion_rows,
    parquet_that_declares_too_many_rows,
    npz_that_unfolds,
    npy_that_declares_too_much,
    line_of_ten_megabytes,
    line_of_five_million_cells,
    line_of_twenty_megabytes_of_cells,
    digits_without_end,
]


@pytest.mark.parametrize("bomb", TABLES, ids=lambda one: one.__name__)
def test_a_bomb_of_a_table_is_refused(
    server: Server, tmp_path: Path, bomb: Callable[[], Spoiled]
) -> None:
    table, files = bomb()
    write(tmp_path, {**files, "m.yaml": request_of(table).encode()})
    refused(server, tmp_path)


def aliases() -> str:
    """Return ten levels of ten aliases each: 10^10 values."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    return "\n".join(["reportgen: 1", *levels, ""])


MANIFESTS = {
    "aliases": aliases(),
    "an alias of itself": "reportgen: 1\na: &a [*a]\n",
    "deep lists": "a: " + "[" * 10_000 + "]" * 10_000 + "\n",
    "deep mappings": "a: " + "{a: " * 10_000 + "1" + "}" * 10_000 + "\n",
    "deep blocks": "".join(" " * i + "a:\n" for i in range(2_500)),
    "deep blocks of lists": "- " * 10_000 + "a\n",
    "a long number": "reportgen: " + "9" * 100_000 + "\n",
    "many keys": "reportgen: 1\n" + "".join(f"k{i}: 1\n" for i in range(50_000)),
    "a long key": "reportgen: 1\n? " + "k" * 1_000_000 + "\n: 1\n",
    "more than fits": "a: " + "b" * 4_000_001,
    "an object of Python": 'reportgen: !!python/object/apply:os.system ["touch sprung"]\n',
}


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS)
def test_a_bomb_of_a_manifest_is_refused(server: Server, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"m.yaml": text.encode(), "t.csv": ROWS})
    ran = server.run(tmp_path, "build", "m.yaml", "-o", "out")
    assert (ran.status, ran.out) == (2, ""), ran
    assert "Traceback" not in ran.err
    assert max(map(len, ran.err.splitlines())) < 2100
    assert len(ran.err.splitlines()) <= 110
    assert sorted(tree(tmp_path)) == ["m.yaml", "t.csv"]
    assert ran.seconds < MOST_SECONDS


DEEP = {
    "lists": b"[" * 10_000 + b"]" * 10_000,
    "mappings": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "an endless list": b"[" * 1_000_000,
    "a long number": b'{"images": ' + b"9" * 1_000_000 + b"}",
    "keys of one name": b"{" + b'"a":1,' * 100_000 + b'"a":1}',
}


@pytest.mark.parametrize("raw", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("of", ["detections", "model", "compared"])
def test_a_bomb_of_json_is_refused(server: Server, tmp_path: Path, of: str, raw: bytes) -> None:
    more: dict[str, Any] = {"compare_to": "j.json"}
    if of == "detections":
        more = {"detections": {"d": {"ground_truth": "j.json"}}}
        more["sections"] = [{"kind": "integrity", "detections": "d"}]
    if of == "model":
        moved = {"norm": "l2", "features": {"p": {"eps": 0.1}}}
        one = {"kind": "robust", "table": "t", "model": {"linear": "j.json"}, "sensitive": "y"}
        more = {"sections": [{**one, "threshold": 0.5, "tolerance": 0.1, "perturbation": moved}]}
    table = {"groups": ["y"], "features": ["p"]}
    write(tmp_path, {"m.yaml": request_of(table, **more).encode(), "t.csv": ROWS, "j.json": raw})
    refused(server, tmp_path)


def png(width: int, height: int, rows: bytes) -> bytes:
    """Return a grey PNG that says it has this size, whatever its rows are."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_pictures_that_unfold_are_named_and_left_out(server: Server, tmp_path: Path) -> None:
    sound = {f"i{n}.png": png(2, 2, zlib.compress(bytes([0, n, 2, 0, 3, n]))) for n in range(4)}
    rows = zlib.compress(bytes(BLOCK))
    bombs = {
        "huge.png": png(2**31 - 1, 2**31 - 1, rows),
        "large.png": png(20_000, 20_000, rows),
        "unfolds.png": png(2, 2, gzipped(b"", bytes(BLOCK), 1000)),
        "text.png": png(1, 1, rows)[:33]
        + struct.pack(">I", len(rows) + 3)
        + b"zTXta\0\0"
        + rows
        + bytes(4),
    }
    files = {**sound, **bombs}
    listed = columns(file=list(files), split=["train", "test"] * 4)
    manifest = request_of(
        images={"i": {"path": "i.csv", "columns": {"file": "file", "split": "split"}}},
        sections=[{"kind": "integrity", "images": "i", "leakage": {"by": ["content"]}}],
    )
    write(tmp_path, {**files, "i.csv": listed.encode(), "t.csv": ROWS, "m.yaml": manifest.encode()})
    ran = server.run(tmp_path, "build", "m.yaml", "-o", "out", "--format", "html", draws=True)
    assert ran.status in (0, 2), ran
    assert "Traceback" not in ran.err
    assert ran.seconds < MOST_SECONDS
    said = ran.err
    if ran.status == 0:
        said = (tmp_path / ran.out.splitlines()[-1] / "results.json").read_text("utf-8")
    for name in ("huge.png", "large.png"):
        assert name in said


def test_a_sound_gzip_of_repeating_rows_is_read(server: Server, tmp_path: Path) -> None:
    """Tables that pack well are no bombs."""
    rows = ROWS + b"".join(b"r%d,%d,.5\n" % (i, i % 2) for i in range(100_000, 200_000))
    packed = gzip.compress(rows)
    write(tmp_path, {"t.csv.gz": packed, "m.yaml": request_of({"path": "t.csv.gz"}).encode()})
    ran = server.run(tmp_path, "check", "m.yaml")
    assert ran.status == 0, ran
    assert "100040 rows" in ran.out.replace(",", "")
