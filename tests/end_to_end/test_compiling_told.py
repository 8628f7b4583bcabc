"""Whoever waits for a compiler is told so, also where output goes to a file; once, and beside the output."""

from contextlib import nullcontext

from shoal.cli import run
from shoal.cli.console import progress_bar
from shoal.progress import silent, tell_compiling


def test_a_log_has_one_line_about_all_kernels_that_are_compiled(capsys):
    with progress_bar() as progress:
        for kernel in ("cut", "count"):
            tell_compiling(kernel, done=False)
            tell_compiling(kernel, done=True)
        progress("cutting", 0.5)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "compiling for this machine, once; later runs do not wait for it\n"


def test_a_log_has_no_line_where_nothing_is_compiled_or_after_the_work(capsys):
    with progress_bar() as progress:
        progress("cutting", 0.5)
    tell_compiling("cut", done=False)
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_a_run_that_is_paid_for_says_nothing_about_what_its_records_made_it_compile(capsys):
    with progress_bar(is_paid=True):
        tell_compiling("count", done=False)
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_a_run_without_a_cost_is_not_one_that_is_paid_for(desk, monkeypatch):
    asked = []
    monkeypatch.setattr(run, "progress_bar", lambda **how: asked.append(how) or nullcontext(silent))
    desk.done("run", "release.toml")
    assert asked == [{"is_paid": False}]
