"""The ledger on disk: budget can be lost, never regained."""

import json
import multiprocessing
import os
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger import key as ledger_key
from shoal.dp.ledger.account import total
from shoal.dp.ledger.fingerprint import Dataset, content_digest
from shoal.dp.ledger.key import LedgerKey, read_key
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import BudgetError, DataError
from shoal.files.remains import data_folder

PEOPLE = Dataset(b"content of people.csv", "people")
LIMIT = PrivacyCost.of(1, "1e-5")
TENTH = PrivacyCost.of("0.1")
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def store(tmp_path):
    return LedgerStore(tmp_path / "store")


def spent(store, dataset=PEOPLE, neighbors=Neighbors.ADD_REMOVE):
    return total(store.history(dataset), neighbors)


def release(store, cost=TENTH, dataset=PEOPLE, limit=LIMIT, name="release/"):
    with store.reserve(dataset, cost, name, limit=limit) as reservation:
        reservation.ledger.charge(cost, "look")


def test_releases_add_up_and_the_limit_holds(store):
    for number in range(10):
        release(store, name=f"release-{number}/")
    with pytest.raises(BudgetError) as refusal:
        release(store, name="one too many/")
    assert str(refusal.value) == (
        "release 'one too many/': it costs epsilon = 0.1, delta = 0; 10 earlier releases of this dataset took "
        "epsilon = 1, delta = 0; the limit is epsilon = 1, delta = 1e-05 (add/remove one record). "
        "Nothing was computed. Lower the cost, or raise the limit if you may: shoal ledger DATA "
        f"--store {store.folder} --raise epsilon=...,delta=..."
    )
    assert spent(store) == PrivacyCost.of(1)
    assert [spending.release for spending in store.history(PEOPLE)] == [f"release-{number}/" for number in range(10)]
    assert all(spending.released_at and spending.reasons == ("look",) for spending in store.history(PEOPLE))


def test_a_reservation_lends_a_ledger_with_what_was_reserved_and_no_more(store):
    with store.reserve(PEOPLE, TENTH, "release/", limit=LIMIT) as reservation:
        with pytest.raises(BudgetError, match=r"limit is epsilon = 0\.1"):
            reservation.ledger.charge(PrivacyCost.of("0.2"), "look")
        reservation.ledger.charge(PrivacyCost.of("0.05"), "look")
    assert spent(store) == TENTH  # what was reserved and not used is lost
    with pytest.raises(BudgetError, match="closed"):
        reservation.ledger.charge(PrivacyCost.of("0.05"), "after the release")


def test_a_release_that_fails_is_paid_for_and_shows_as_unconfirmed(store):
    with pytest.raises(RuntimeError), store.reserve(PEOPLE, TENTH, "release/"):
        raise RuntimeError
    assert spent(store) == TENTH
    assert store.history(PEOPLE)[0].released_at is None


def test_looking_writes_nothing(store):
    assert store.history(PEOPLE) == ()
    assert not store.folder.exists()


def test_a_dataset_is_recognized_by_content_or_by_name_and_by_way_of_a_third(store):
    release(store, dataset=Dataset(b"x", "a"))
    release(store, dataset=Dataset(b"x", "b"))  # same bytes, another name
    release(store, dataset=Dataset(b"y", " B "))  # corrected table, same name
    release(store, dataset=Dataset(b"z"))  # unrelated
    assert spent(store, Dataset(b"y", "c")) == PrivacyCost.of("0.3")
    assert spent(store, Dataset(b"new", "A")) == PrivacyCost.of("0.3")
    assert spent(store, Dataset(b"z", "z")) == PrivacyCost.of("0.1")
    assert spent(store, Dataset(b"w")) == PrivacyCost.of(0)


def test_the_files_show_neither_name_nor_content_and_belong_to_the_owner(store):
    release(store, dataset=Dataset(b"content-digest", "secret-name"))
    for path in (store.ledger_path, store.key_path):
        text = path.read_bytes()
        assert b"secret-name" not in text
        assert b"content-digest" not in text
        assert b"content-digest".hex().encode() not in text
        assert path.stat().st_mode & 0o777 == 0o600
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in store.folder.iterdir()) == ["ledger.key", "ledger.sqlite3"]


def test_relations_convert_where_that_is_proved_and_are_refused_elsewhere(store):
    release(store, PrivacyCost.of("0.2", "1e-6"), limit=None)
    replace = PrivacyCost.of(1, "1e-4", Neighbors.REPLACE)
    release(store, PrivacyCost.of("0.5", 0, Neighbors.REPLACE), limit=replace)
    told = spent(store, neighbors=Neighbors.REPLACE)
    assert told.epsilon == Fraction("0.9")
    assert float(told.delta) == pytest.approx(1e-6 * (1 + 2.718281828**0.2), rel=1e-6)
    with pytest.raises(BudgetError, match=r"limit is epsilon = 1, delta = 0\.0001 "):
        release(store, PrivacyCost.of("0.06"), limit=replace)  # counts double
    with pytest.raises(BudgetError) as refusal:
        release(store, PrivacyCost.of("0.01"), limit=LIMIT)
    assert str(refusal.value) == (
        "release 'release/': the limit is epsilon = 1, delta = 1e-05 (add/remove one record); nothing bounds the loss "
        "under 'add/remove one record': 'release/' promised nothing there, so this limit cannot hold. Nothing was "
        "computed. To go on, tell the limit under 'replace one record, the number of records is public' instead, where "
        'add/remove counts double: limit = { epsilon = ..., delta = ..., neighbors = "replace" } in [budget]'
    )
    with pytest.raises(BudgetError, match=r"a cost under 'replace one record, .*' says nothing there"):
        release(store, PrivacyCost.of("0.1", 0, Neighbors.REPLACE), dataset=Dataset(b"other"), limit=LIMIT)


def test_without_a_limit_everything_is_noted_until_deltas_promise_nothing(store):
    release(store, PrivacyCost.of(50, "0.6"), limit=None)
    with pytest.raises(BudgetError, match="nothing is promised"):
        release(store, PrivacyCost.of(1, "0.6"), limit=None)
    with pytest.raises(BudgetError, match="with the earlier ones nothing would be promised: privacy cost epsilon = 50"):
        release(store, PrivacyCost.of(1, "0.1", Neighbors.REPLACE), limit=None)  # doubled, 0.6 is more than 1
    assert spent(store) == PrivacyCost.of(50, "0.6")


def reserve_many(folder, times, gate, results):
    store, admitted = LedgerStore(Path(folder), patience=60), 0
    gate.wait()
    for _ in range(times):
        try:
            store.reserve(PEOPLE, TENTH, "release/", limit=LIMIT)
            admitted += 1
        except BudgetError:
            pass
    results.put(admitted)


def test_processes_that_spend_at_once_never_overspend_together(store):
    gate, results = SPAWN.Barrier(4), SPAWN.Queue()
    workers = [SPAWN.Process(target=reserve_many, args=(str(store.folder), 5, gate, results)) for _ in range(4)]
    for worker in workers:
        worker.start()
    admitted = sum(results.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join()
    assert admitted == 10
    assert spent(store) == PrivacyCost.of(1)
    key = read_key(store.key_path)
    assert key is not None
    assert key.rows == 10


def crash_after_reserving(folder):
    LedgerStore(Path(folder)).reserve(PEOPLE, TENTH, "release/", limit=LIMIT)
    os._exit(9)


def crash_before_the_mark_is_raised(folder):
    LedgerStore._settle = lambda *_: os._exit(9)
    LedgerStore(Path(folder)).reserve(PEOPLE, TENTH, "release/", limit=LIMIT)


def crash_before_the_commit(folder):
    import shoal.dp.ledger.store as module

    module._append = lambda *_: os._exit(9)
    LedgerStore(Path(folder)).reserve(PEOPLE, TENTH, "release/", limit=LIMIT)


@pytest.mark.parametrize(
    ("crash", "lost"),
    [
        (crash_after_reserving, PrivacyCost.of("0.1")),
        (crash_before_the_mark_is_raised, PrivacyCost.of("0.1")),
        (crash_before_the_commit, PrivacyCost.of(0)),
    ],
)
def test_a_crash_loses_budget_and_leaves_a_usable_ledger(store, crash, lost):
    release(store)
    child = SPAWN.Process(target=crash, args=(str(store.folder),))
    child.start()
    child.join(60)
    assert child.exitcode == 9
    assert spent(store).epsilon == TENTH.epsilon + lost.epsilon
    release(store)
    assert spent(store).epsilon == 2 * TENTH.epsilon + lost.epsilon


def damage(path, change):
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(bytes(data))


def outcome(store):
    """What is known to be spent, or that the store refuses; refusing to look and to spend must go together."""
    try:
        return spent(store)
    except BudgetError:
        with pytest.raises(BudgetError):
            store.reserve(PEOPLE, TENTH, "release/", limit=PrivacyCost.of(100, "1e-5"))
        return "refused"


@pytest.fixture(scope="module")
def used_store(tmp_path_factory):
    store = LedgerStore(tmp_path_factory.mktemp("used") / "store", patience=0.1)
    for _ in range(3):
        release(store)
    return store


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), part=st.sampled_from(["ledger", "key"]))
def test_no_flipped_bit_gives_budget_back(used_store, tmp_path, where, bit, part):
    """Every bit of the key file matters; those of the ledger that nobody reads may change without harm."""
    shutil.rmtree(tmp_path, ignore_errors=True)
    shutil.copytree(used_store.folder, tmp_path)
    store = LedgerStore(tmp_path, patience=0.1)
    path = store.ledger_path if part == "ledger" else store.key_path

    def flip(data):
        data[int(where * len(data))] ^= 1 << bit

    damage(path, flip)
    assert outcome(store) in ({"refused", PrivacyCost.of("0.3")} if part == "ledger" else {"refused"})


def test_every_byte_of_every_row_is_sealed(used_store, tmp_path):
    """Bytes of the rows themselves, found in the file: all refused."""
    with sqlite3.connect(used_store.ledger_path) as connection:
        rows = connection.execute("SELECT text, seal FROM rows").fetchall()
    connection.close()
    whole = used_store.ledger_path.read_bytes()
    positions = [
        whole.index(value) + offset
        for row in rows
        for value in row
        for offset in range(0, len(value), max(len(value) // 8, 1))
    ]
    shutil.copytree(used_store.folder, tmp_path / "s")
    store = LedgerStore(tmp_path / "s", patience=0.1)
    for position in positions:
        changed = bytearray(whole)
        changed[position] ^= 1
        store.ledger_path.write_bytes(bytes(changed))
        with pytest.raises(BudgetError, match=r"row \d of \d was changed"):
            store.history(PEOPLE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("DELETE FROM rows WHERE number = 6", "it has 5 rows, but 6 were written"),
        ("DELETE FROM rows WHERE number = 2", "row 2 of 5 was changed"),
        ("DELETE FROM rows", "it has 0 rows, but 6 were written"),
        ("DROP TABLE rows", "it has 0 rows, but 6 were written"),
        ("UPDATE rows SET text = replace(text, '1/10', '0')", "row 1 of 6 was changed"),
        ("UPDATE rows SET seal = 'text' WHERE number = 3", "row 3 of 6 was changed"),
        ("UPDATE rows SET number = 60 WHERE number = 6", "row 6 of 6 was changed"),
        ("INSERT INTO rows VALUES (7, x'7b7d', x'00')", "row 7 of 7 was changed"),
    ],
)
def test_changed_rows_are_detected(used_store, tmp_path, change, message):
    shutil.copytree(used_store.folder, tmp_path / "s")
    store = LedgerStore(tmp_path / "s", patience=0.1)
    with sqlite3.connect(store.ledger_path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(BudgetError, match=message):
        store.history(PEOPLE)
    with pytest.raises(BudgetError, match=message):
        store.reserve(PEOPLE, TENTH, "release/")


def test_an_older_copy_put_back_is_detected(store):
    release(store)
    older = store.ledger_path.read_bytes()
    release(store)
    store.ledger_path.write_bytes(older)
    assert outcome(store) == "refused"
    with pytest.raises(BudgetError, match="it has 2 rows, but 4 were written: this is an older copy"):
        store.history(PEOPLE)


class Markless(LedgerStore):
    """A double that never raises the mark."""

    def _settle(self, number):
        pass


def test_without_the_mark_an_older_copy_would_not_be_detected(tmp_path):
    store = Markless(tmp_path)
    release(store)
    older = store.ledger_path.read_bytes()
    release(store)
    store.ledger_path.write_bytes(older)
    assert outcome(store) == PrivacyCost.of("0.1")  # 0.1 regained: what test_an_older_copy_put_back_is_detected forbids


def test_two_branches_of_one_ledger_are_told_apart(store, tmp_path):
    """Copy the store, spend in both places, put the other ledger back: same length, another history."""
    release(store)
    branch = LedgerStore(tmp_path / "branch")
    shutil.copytree(store.folder, branch.folder)
    release(store)
    release(branch, PrivacyCost.of("0.01"))
    shutil.copy(branch.ledger_path, store.ledger_path)
    assert outcome(store) == "refused"


def test_a_ledger_without_its_key_is_of_no_use(store):
    release(store)
    store.key_path.unlink()
    for attempt in (lambda: store.history(PEOPLE), lambda: release(store)):
        with pytest.raises(BudgetError, match="is missing, so nothing in it can be checked"):
            attempt()
    assert not store.key_path.exists()


def test_a_key_without_its_ledger_is_detected(store):
    release(store)
    store.ledger_path.unlink()
    assert outcome(store) == "refused"


def test_a_key_of_another_ledger_is_detected(store, tmp_path):
    release(store)
    other = LedgerStore(tmp_path / "other")
    release(other)
    shutil.copy(other.key_path, store.key_path)
    with pytest.raises(BudgetError, match="belongs to another key"):
        store.history(PEOPLE)


def test_a_key_that_others_can_read_is_refused(store):
    release(store)
    store.key_path.chmod(0o644)
    with pytest.raises(BudgetError, match=r"mode 644, expected 600"):
        store.history(PEOPLE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "no json",
        '{"secret": 1, "rows": 0, "seal": "", "mark": ""}',
        '{"version": 1, "rows": 1e400000000, "secret": "", "seal": "", "mark": ""}',
        "[" * 100_000,
        "ä",
    ],
    ids=["nothing", "no fields", "a list", "no JSON", "a number", "an endless number", "a long way down", "no ASCII"],
)
def test_a_damaged_key_is_refused(store, text):
    release(store)
    store.key_path.write_text(text)
    with pytest.raises(BudgetError, match="ledger key"):
        store.history(PEOPLE)


def test_a_file_that_is_no_ledger_is_refused(store):
    release(store)
    store.ledger_path.write_bytes(b"not a database, and long enough to be looked at" * 100)
    for attempt in (lambda: store.history(PEOPLE), lambda: release(store)):
        with pytest.raises(BudgetError, match="it is damaged or no ledger"):
            attempt()


def test_a_ledger_whose_own_description_is_no_text_is_refused(store):
    release(store)
    damaged = (
        store.ledger_path.read_bytes()
        .replace(b"\x05rows", b"\x05\xff\xff\xff\xff")
        .replace(b"tablerowsrows", b"table\xff\xff\xff\xffrows")
    )
    assert damaged != store.ledger_path.read_bytes()
    store.ledger_path.write_bytes(damaged.replace(b"CREATE TABLE rows", b"CREATE TABL\xff rows"))
    for attempt in (lambda: store.history(PEOPLE), lambda: release(store)):
        with pytest.raises(BudgetError, match="it is damaged or no ledger"):
            attempt()


def test_a_locked_ledger_is_waited_for_and_then_refused(store):
    release(store)
    impatient = LedgerStore(store.folder, patience=0.05)
    connection = sqlite3.connect(store.ledger_path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(BudgetError, match=r"another process has been writing for more than 0.05 seconds"):
            release(impatient)
    finally:
        connection.close()
    release(impatient)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BudgetError, match="cannot be written"):
        release(LedgerStore(tmp_path / "file" / "store"))


def test_a_full_disk_while_the_key_is_written_is_reported(store, monkeypatch):
    release(store)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(BudgetError, match="No space left on device"):
        release(store)
    monkeypatch.undo()
    assert spent(store) == PrivacyCost.of("0.2")  # reserved, never computed: lost
    assert sorted(path.name for path in store.folder.iterdir()) == ["ledger.key", "ledger.sqlite3"]


def test_a_ledger_replaced_between_reserving_and_marking_is_detected(store, monkeypatch):
    release(store)
    older = store.ledger_path.read_bytes()
    settle = LedgerStore._settle

    def replaced(self, number):
        self.ledger_path.write_bytes(older)
        settle(self, number)

    monkeypatch.setattr(LedgerStore, "_settle", replaced)
    with pytest.raises(BudgetError, match="a row just written is gone"):
        store.reserve(PEOPLE, TENTH, "release/")


def test_the_folder_follows_the_desktop_standard(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert data_folder() == Path("/somewhere/shoal")
    assert LedgerStore().folder == Path("/somewhere/shoal")
    for unusable in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", unusable)
        assert data_folder() == Path.home() / ".local/share/shoal"


def test_signatures_tell_lists_of_parts_apart():
    key = LedgerKey.new()
    assert key.sign("p", b"ab", b"c") != key.sign("p", b"a", b"bc") != key.sign("pa", b"bc")
    assert LedgerKey.from_json(key.to_json()) == key
    assert json.loads(key.to_json())["rows"] == 0


def test_a_dataset_s_digest_does_not_depend_on_names_or_order(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two" / "deep").mkdir(parents=True)
    (tmp_path / "one" / "a.csv").write_bytes(b"first")
    (tmp_path / "one" / "b.csv").write_bytes(b"second")
    (tmp_path / "two" / "x.csv").write_bytes(b"second")
    (tmp_path / "two" / "deep" / "y.csv").write_bytes(b"first")
    (tmp_path / "two" / "_SUCCESS").write_bytes(b"")
    (tmp_path / "two" / ".y.csv.crc").write_bytes(b"1")
    assert content_digest(tmp_path / "one") == content_digest(tmp_path / "two")
    assert content_digest(tmp_path / "one") != content_digest(tmp_path / "one" / "a.csv")
    (tmp_path / "one" / "b.csv").unlink()
    assert content_digest(tmp_path / "one") == content_digest(tmp_path / "one" / "a.csv")
    assert Dataset.of(tmp_path / "one", "n") == Dataset(content_digest(tmp_path / "one"), "n")


def test_a_missing_or_unreadable_dataset_is_reported(tmp_path, monkeypatch):
    with pytest.raises(DataError, match="no such file, and no folder with files"):
        content_digest(tmp_path / "nothing.csv")
    (tmp_path / "people.csv").write_bytes(b"x")
    monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    with pytest.raises(DataError, match="Permission denied"):
        content_digest(tmp_path / "people.csv")


def test_folders_are_synced_where_that_is_possible(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_key.os, "name", "nt")
    ledger_key._sync_folder(tmp_path / "cannot be opened")
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError):
        ledger_key._sync_folder(tmp_path / "cannot be opened")


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
@pytest.mark.parametrize(
    ("name", "mode", "told"),
    [
        ("", 0o770, r"may write to it \(mode 770, expected 700\).*chmod 700 on this folder"),
        ("", 0o707, "mode 707, expected 700"),
        ("ledger.sqlite3", 0o620, r"may write to it \(mode 620, expected 600\).*chmod 600 on this file"),
        ("ledger.key", 0o602, "mode 602, expected 600"),
    ],
)
def test_a_store_that_others_can_write_to_is_refused(tmp_path, name, mode, told):
    store, people = LedgerStore(tmp_path / "store"), Dataset(b"people")
    store.reserve(people, PrivacyCost.of(1), "first")
    (store.folder / name).chmod(mode)
    with pytest.raises(BudgetError, match=told):
        store.reserve(people, PrivacyCost.of(1), "second")
    with pytest.raises(BudgetError, match=told):
        store.history(people)
    (store.folder / name).chmod(0o600 if name else 0o700)
    assert [spending.release for spending in store.history(people)] == ["first"]


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
@pytest.mark.parametrize("which", ["folder", "ledger_path", "key_path"])
def test_a_store_of_another_user_is_refused(tmp_path, monkeypatch, which):
    store, people = LedgerStore(tmp_path / "store"), Dataset(b"people")
    store.reserve(people, PrivacyCost.of(1), "first")
    theirs, stat = getattr(store, which), Path.stat

    def other(path, **options):
        found = stat(path, **options)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:])) if path == theirs else found

    monkeypatch.setattr(Path, "stat", other)
    with pytest.raises(BudgetError, match=r"belongs to another user.*chown"):
        store.reserve(people, PrivacyCost.of(1), "second")


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
@pytest.mark.parametrize("umask", [0, 0o077, 0o777])
def test_a_new_store_is_closed_whatever_the_umask_and_an_open_ledger_is_closed(tmp_path, umask):
    store = LedgerStore(tmp_path / "new" / "store")
    before = os.umask(umask)
    try:
        store.reserve(Dataset(b"people"), PrivacyCost.of(1), "first")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (store.folder, store.folder.parent)} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in store.folder.iterdir()} == {0o600}
    store.ledger_path.chmod(0o644)
    store.reserve(Dataset(b"people"), PrivacyCost.of(1), "second")
    assert store.ledger_path.stat().st_mode & 0o777 == 0o600


def test_a_key_is_written_to_the_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    synced = {}

    def fsync(handle):
        found = os.fstat(handle)
        synced[found.st_ino] = found.st_size

    monkeypatch.setattr(ledger_key.os, "fsync", fsync)
    key = LedgerKey.new()
    ledger_key.write_key(tmp_path / "ledger.key", key)
    found = (tmp_path / "ledger.key").stat()
    assert synced[found.st_ino] == len(key.to_json())
    assert tmp_path.stat().st_ino in synced


def test_a_full_disk_is_called_that_and_not_a_damaged_ledger(store, monkeypatch):
    release(store)
    connect = sqlite3.connect

    def on_a_full_disk(*given, **named):
        connection = connect(*given, **named)
        connection.execute("PRAGMA max_page_count = 1")  # no more pages than there are
        return connection

    monkeypatch.setattr(sqlite3, "connect", on_a_full_disk)

    def fill():
        for _ in range(100):
            release(store, limit=None, name="a long name " * 30)

    with pytest.raises(BudgetError, match="there is no space left to write it"):
        fill()
    monkeypatch.undo()
    release(store)
