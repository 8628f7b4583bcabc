"""What an error or a request says is not written down: it may quote a record."""

import logging

from shoal.serve.safety.quiet_logs import quiet_logs


def test_logs_tell_the_kind_of_an_error_and_nothing_it_says(caplog):
    logger = logging.getLogger("nicegui")
    with quiet_logs(), caplog.at_level(logging.DEBUG):
        try:
            raise ValueError("Alice has the flu")  # noqa: TRY301  it needs a place
        except ValueError as error:
            logger.exception(error)  # noqa: TRY401  as the library does it
            logger.exception("failed for %s", "Alice")
        logger.warning("/report/%s not found", "Alice")
        logger.error(ValueError("Alice"))
    assert "Alice" not in caplog.text
    assert "ValueError in test_quiet_logs.py" in caplog.text
    logger.warning("as before: %s", "Bob")
    assert "Bob" in caplog.text
