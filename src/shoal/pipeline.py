"""publish(): from a plan or a data frame to a release."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from shoal.data.attribute import Attribute
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.people.capping import capped
from shoal.data.people.persons import refuse_refuted, watched_columns
from shoal.data.people.pseudonyms import linked
from shoal.data.schema import Role, Schema
from shoal.dp.coins.coins import Coins, secure_coins
from shoal.dp.ledger.ledger import Ledger
from shoal.engines.base import Engine
from shoal.engines.codes.encoding import check_columns, encode, without_records
from shoal.engines.codes.population import with_population
from shoal.engines.lazy.room import require_room
from shoal.engines.memory import LIMIT, kept_limit, require_bounded_memory, require_memory
from shoal.engines.opening import engine_at, engine_of_frame
from shoal.engines.pseudonymizing import KeyPlace, pseudonymized
from shoal.engines.reading.distinct_values import DistinctValues
from shoal.engines.reading.native import ArrowTables
from shoal.errors import DataError, ParameterError, listed
from shoal.ledger import Ledger as Books
from shoal.ledger import chosen_ledger
from shoal.methods import Method
from shoal.methods.parts.declared import is_paid, may_look, records_each, refuse_vain_overruling
from shoal.methods.parts.pricing import Priced, checked_unread, priced
from shoal.plan.plan import DataPlan, Plan
from shoal.progress import Progress, silent
from shoal.promises.certify import certified
from shoal.promises.containment import described, is_refusal_of_request, is_refusal_of_table
from shoal.promises.guarantee import Guarantee
from shoal.promises.verify import verified
from shoal.release import F, Native, Release, Rows


def look_before_paying(plan: Plan, *, one_record_each: bool = False) -> tuple[Guarantee, ...]:
    """Refuse a table that cannot be read, or has other columns than the plan says, before anything is paid for.

    Also one in which a person may have several records, if the method has to be paid for and may look at that. What a
    method that has to be paid for will promise, which is known beforehand.
    """
    engine = _engine(plan)
    check_columns(plan.schema, engine.types(), plan.method.counted(plan.schema))
    refuse_vain_overruling(plan.method, one_record_each=one_record_each)
    if is_paid(plan.method) and may_look(plan.method):
        watched = _watched(plan.schema, plan.method, plan.data.missing)
        for _ in engine.distinct([], watched) if watched else ():
            pass
        _refuse_refuted(plan.schema, watched, one_record_each=one_record_each)
    if not is_paid(plan.method):
        return ()
    _require_bounded_memory(engine, plan.schema, plan.method)
    return _require_sayable(engine, plan.schema, plan.method)


def _require_sayable(engine: Engine, schema: Schema, method: Method) -> tuple[Guarantee, ...]:
    """What the certificate will say is public: if it cannot be said, that is told before anything is paid for."""
    made, public = priced(schema, method), _public_table(engine, schema, method)
    made.facts()
    return made.guarantees(Outcome(table=public, published=public.counts, shown={}))


def _require_bounded_memory(engine: Engine, schema: Schema, method: Method) -> None:
    """By what is declared, and before anything is paid for."""
    if LIMIT.get() is not None and is_paid(method):
        public = without_records(engine, schema, method.counted(schema), absorbed(method), method.floors)
        require_bounded_memory(public.attributes, method.name, has_floor=hasattr(method, "floor"))


def publish(
    plan: Plan, progress: Progress = silent, ledger: Ledger | None = None, *, one_record_each: bool = False
) -> Release:
    """Make the release a plan describes; nothing is written. A private method spends from `ledger`.

    A run with a ledger is contained: if it fails in a way that the records may decide, it publishes nothing. With
    `one_record_each` the owner affirms that no person has several records, although identifiers repeat.
    """
    return _published(plan, progress, ledger, one_record_each=one_record_each).with_about(plan.about)


def _published(plan: Plan, progress: Progress, ledger: Ledger | None, *, one_record_each: bool) -> Release:
    engine, method = _engine(plan), plan.method
    if ledger is None or not is_paid(method):
        return _publish(
            engine,
            plan.schema,
            method,
            progress,
            ArrowTables(),
            ledger=ledger,
            one_record_each=one_record_each,
            population=_population(method, plan.folder, plan.data),
            keys=KeyPlace(plan.budget.ledger, str(plan.output.absolute())),
        )
    return _contained(engine, plan.schema, method, progress, ArrowTables(), ledger, one_record_each=one_record_each)


def _contained(
    engine: Engine,
    schema: Schema,
    method: Method,
    progress: Progress,
    native: Native[F],
    ledger: Ledger,
    *,
    one_record_each: bool,
) -> Release[F]:
    """Make a release that is paid for; whatever the records decide to go wrong, it publishes nothing."""
    made = checked_unread(schema, method, one_record_each=one_record_each)
    _require_bounded_memory(engine, schema, method)
    _public_table(engine, schema, method)
    coins = secure_coins()
    try:
        table, overruled = _read(engine, schema, method, progress, coins, one_record_each=one_record_each)
    except Exception as error:
        if is_refusal_of_table(error, method):
            raise
        return _failed(engine, schema, made, native, error, ledger)
    try:
        outcome = made.inner.run(table, ledger=ledger, coins=coins, progress=progress)
        return _computed(_release(engine, schema, made, outcome, native, is_seeded=coins.seeded, overruled=overruled))
    except Exception as error:
        if is_refusal_of_request(error, ledger):
            raise
        return _failed(engine, schema, made, native, error, ledger)


def _computed(release: Release[F]) -> Release[F]:
    """The release with what its owner may ask of it: what fails in a paid run is to fail where it is contained."""
    _ = release.facts
    return release


def _failed(
    engine: Engine, schema: Schema, made: Priced, native: Native[F], error: Exception, ledger: Ledger
) -> Release[F]:
    """The release of a run that failed: it costs what every release of the method costs."""
    assert made.inner.cost is not None
    if not ledger.entries:
        ledger.charge(made.inner.cost, "a run that found nothing to publish")
    return _nothing(engine, schema, made, native, error)


def publish_nothing(plan: Plan, error: Exception) -> Release:
    """What a private run publishes that has nothing to publish; `error` is why, for the owner alone."""
    made = priced(plan.schema, plan.method)
    return _nothing(_engine(plan), plan.schema, made, ArrowTables(), error).with_about(plan.about)


def _nothing(engine: Engine, schema: Schema, made: Priced, native: Native[F], error: Exception) -> Release[F]:
    outcome = made.inner.nothing(_public_table(engine, schema, made.method))
    release = _release(engine, schema, made, outcome, native, is_seeded=False)
    return replace(release, failure=described(error))


def _engine(plan: Plan) -> Engine:
    return plan.data.engine(computing=plan.computing, absorb=absorbed(plan.method))


def _public_table(engine: Engine, schema: Schema, method: Method) -> EncodedTable:
    """The table as a private method is given it, without its records: nothing in it was read from a row."""
    table = without_records(engine, schema, method.counted(schema), absorbed(method), method.floors)
    return as_given(table, schema, method, secure_coins())


def as_given(table: EncodedTable, schema: Schema, method: Method, coins: Coins) -> EncodedTable:
    """Of each person the records that take part, in columns of the roles that the method gives them."""
    most = records_each(schema, method)
    if most is not None:
        table = capped(table, most, coins)
        if not priced(schema, method).inner.counts_persons:
            table = table.of_rows()  # those of one person are drawn one by one, too
    if schema.pseudonym:
        table = linked(table)
    return _in_roles(table, method)


def _in_roles(table: EncodedTable, method: Method) -> EncodedTable:
    """The table with its columns in the roles that the method gives them."""
    return table.all_quasi_identifiers() if method.covers == "all" else table


def absorbed(method: Method) -> bool | tuple[str, ...]:
    """The columns of which no value of a record may raise an error."""
    return True if method.covers == "all" else method.covers


def publish_frame(
    frame: F,
    schema: Schema,
    method: Method,
    progress: Progress = silent,
    *,
    coins: Coins | None = None,
    ledger: Books | None = None,
    one_record_each: bool = False,
) -> Release[F]:
    """Make a release from a pandas, polars or pyarrow table; one that costs something is paid from `ledger`.

    Then it is contained as `publish` is, and only its first draw makes it cost anything.
    """
    engine, native = engine_of_frame(frame)
    books = chosen_ledger(method.name, ledger, coins) if is_paid(method) else None
    if books is None or method.cost is None:
        with nullcontext() if is_paid(method) else kept_limit():
            return _publish(
                engine,
                schema,
                method,
                progress,
                native,
                coins=coins,
                one_record_each=one_record_each,
                population=_population(method, Path()),
                keys=KeyPlace(None if ledger is None else ledger.folder),
            )
    _require_bounded_memory(engine, schema, method)
    _require_sayable(engine, schema, method)
    made = priced(schema, method)
    cost, run = made.cost or method.cost, made.inner.cost
    with books.payment(engine, cost, f"{method.name}, made in Python", run) as payment:
        return _contained(engine, schema, method, progress, native, payment.ledger, one_record_each=one_record_each)


def _read(
    engine: Engine, schema: Schema, method: Method, progress: Progress, coins: Coins, *, one_record_each: bool
) -> tuple[EncodedTable, tuple[str, ...]]:
    """The table as the method is given it, unless it refutes one record for each person; identifiers that repeat."""
    watched = _watched(schema, method, engine.missing)
    table = encoded(engine, schema, method, progress, watched, coins)
    return table, _refuse_refuted(schema, watched, one_record_each=one_record_each)


def _declared(engine: Engine, schema: Schema, method: Method) -> list[Attribute]:
    """The quasi-identifiers whose values are declared, known without a record."""
    public = without_records(engine, schema, method.counted(schema), absorbed(method), method.floors).attributes
    return [a for a in public if a.domain.origin is Origin.DECLARED and a.role is Role.QUASI_IDENTIFIER]


def encoded(
    engine: Engine,
    schema: Schema,
    method: Method,
    progress: Progress = silent,
    watched: Mapping[str, DistinctValues] | None = None,
    coins: Coins | None = None,
    *,
    draws: bool = True,
) -> EncodedTable:
    """The table as a method is given it; `watched` are shown the values of their columns in the same pass.

    Where a person has several records and only some of them take part, `coins` draw them; secure ones if not given.
    Without `draws` all take part: what a release was made from, whichever were drawn then.
    """
    counted, absorb, floors = method.counted(schema), absorbed(method), method.floors
    if engine.is_elsewhere and not is_paid(method):
        describe = partial(_declared, engine, schema, method)
        require_room(engine, counted, describe, method.name, has_floor=hasattr(method, "floor"))
    table = encode(
        engine,
        schema,
        counted,
        progress,
        absorb=absorb,
        clamp=method.clamps,
        watched=watched,
        floors=floors,
    )
    if LIMIT.get() is not None and not is_paid(method):
        require_memory(table, method.name)
    if not draws:
        return _in_roles(table, method)
    return as_given(table, schema, method, secure_coins() if coins is None else coins)


def _watched(schema: Schema, method: Method, missing: Collection[str]) -> dict[str, DistinctValues]:
    """What is to be seen of columns that may refute one record for each person; nothing if that is not for looking."""
    return {name: DistinctValues(missing) for name in watched_columns(schema)} if may_look(method) else {}


def _refuse_refuted(schema: Schema, watched: Mapping[str, DistinctValues], *, one_record_each: bool) -> tuple[str, ...]:
    seen = {name: values.count() for name, values in watched.items()}
    return refuse_refuted(schema, seen, one_record_each=one_record_each)


def _publish(
    engine: Engine,
    schema: Schema,
    method: Method,
    progress: Progress,
    native: Native[F],
    *,
    coins: Coins | None = None,
    ledger: Ledger | None = None,
    one_record_each: bool = False,
    population: Engine | None = None,
    keys: KeyPlace,
) -> Release[F]:
    made = checked_unread(schema, method, one_record_each=one_record_each)
    _require_bounded_memory(engine, schema, method)
    if any(column.pseudonym is not None for column in schema):
        engine, schema = pseudonymized(engine, schema, keys)
    coins = secure_coins() if coins is None else coins
    is_seeded, ledger = coins.seeded, Ledger(limit=made.inner.cost) if ledger is None else ledger
    table, overruled = _read(engine, schema, method, progress, coins, one_record_each=one_record_each)
    if population is not None:
        table = with_population(table, population, progress)
    outcome = made.inner.run(table, ledger=ledger, coins=coins, progress=progress)
    return _release(engine, schema, made, outcome, native, is_seeded=is_seeded, overruled=overruled)


def _population(method: Method, folder: Path, data: DataPlan | None = None) -> Engine | None:
    """The table of the population that criteria compare with, written as the data are; None if none does."""
    named = {name for c in getattr(method, "criteria", ()) if (name := getattr(c, "population", None)) is not None}
    if not named:
        return None
    if len(named) > 1:
        raise ParameterError(f"criteria name {len(named)} populations, {listed(sorted(named))}; compare with one.")
    path = folder / named.pop()
    if not path.exists():
        raise DataError(f"population {path.name!r} does not exist; give the path of a table, beside the release file.")
    if data is None:
        return engine_at(path)
    return engine_at(path, layout=data.layout, missing=data.missing)


def _release(
    engine: Engine,
    schema: Schema,
    made: Priced,
    outcome: Outcome,
    native: Native[F],
    *,
    is_seeded: bool,
    overruled: tuple[str, ...] = (),
) -> Release[F]:
    """What was decided, verified and certified, with its ways out."""
    method = made.inner
    promised, needs = method.promises(outcome.table), method.needs
    verdicts = verified(outcome, promised)
    if not all(verdict.holds for verdict in verdicts):
        raise AssertionError("the published table failed its own check; nothing was written. Please report this.")
    return Release(
        certificate=certified(schema, made, outcome, verdicts, is_seeded=is_seeded, overruled=overruled),
        rows=Rows(engine, schema, outcome, native),
        is_paid=is_paid(method),
        needs=needs,
        quality=getattr(method, "quality", None),
    )
