"""All that is wrong with a release file, said at once: a sentence for each."""

from __future__ import annotations

from types import TracebackType

from shoal.errors import HierarchyError, PlanError, SchemaError, ShoalError


class Complaints:
    """Errors that are kept until the whole file has been read."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._errors: list[ShoalError] = []
        self._said: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._errors)

    def kept(self, once: str = "") -> Keeping:
        """What is refused inside is kept, and the rest of it not done; of several with the same `once` the first."""
        return Keeping(self._errors, self._said, once)

    def refuse(self) -> None:
        """Raise what was kept: one error as it is, several as a list of their sentences.

        A column that is described wrongly is misuse of the release file, whether it is the only mistake in it or not.
        """
        if len(self._errors) == 1:
            (error,) = self._errors
            if isinstance(error, SchemaError | HierarchyError):
                error.exit_code = PlanError.exit_code
            raise error
        if self._errors:
            told = [str(error).removeprefix(self.where) for error in self._errors]
            sentences = [text.removeprefix(", ").removeprefix(": ") for text in told]
            listed = "".join(f"\n  {sentence}" for sentence in sentences)
            raise PlanError(f"{self.where} has {len(sentences)} errors:{listed}")


class Keeping:
    """Keeps the error of Shoal that ends its block."""

    def __init__(self, errors: list[ShoalError], said: set[str], once: str) -> None:
        self._errors, self._said, self._once = errors, said, once

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, ShoalError):
            return False
        if self._once not in self._said:
            self._errors.append(error)
        self._said |= {self._once} - {""}
        return True
