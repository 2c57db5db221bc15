"""What asking a server takes: every attempt is counted, and none begins that would pass a budget."""

import threading
from dataclasses import dataclass, field

from rag_ablation.stages._chat_settings import PER, ChatSettings

REFUSED = 400
"""A reply from here on is an error, which no server charges for."""


class Stopped(Exception):  # noqa: N818 - it reads as what happened
    """Nothing more is asked: a budget is spent, or nothing could come of it."""


@dataclass
class _Call(threading.local):
    """One request of this thread, with its retries."""

    attempts: int = 0
    most: float = 0.0
    open: bool = False


@dataclass
class Meter:
    """Counts of one run, shared by its threads.

    Args:
        settings: with the budgets.
        n_requests: attempts, retries among them.
        n_retries: attempts after the first of a request.
        n_lost: attempts whose reply never came, so that nobody knows whether they were charged for.
        spent: cost of the replies that came.
        stopped: why nothing more is asked: `max_requests`, `max_cost`, or an error; None while asking goes on.
    """

    settings: ChatSettings
    n_requests: int = 0
    n_retries: int = 0
    n_lost: int = 0
    spent: float = 0.0
    stopped: str | Exception | None = None
    _lost: float = 0.0
    _open: float = 0.0
    _n_open: int = 0
    _call: _Call = field(default_factory=_Call)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def attempts(self) -> int:
        """Attempts of this thread's request."""
        return self._call.attempts

    def begin(self, prompt_bytes: int) -> None:
        """A request of this thread begins.

        Args:
            prompt_bytes: length of its body; no tokenizer makes more tokens of a text than it has bytes.

        Raises:
            Stopped: nothing more is asked.
        """
        self.check()
        prices, longest = self.settings.price_of, self.settings.longest_reply
        self._call.attempts, self._call.open = 0, False
        self._call.most = 0.0
        if prices and longest:
            self._call.most = (prices["prompt"] * prompt_bytes + prices["completion"] * longest) / PER

    def before(self, _request: object) -> None:
        """An attempt is about to be made; waits where what others may cost leaves no room for it.

        Raises:
            Stopped: it would pass a budget, or nothing more is asked.
        """
        call, limit = self._call, self.settings.max_requests
        with self._changed:
            self._lose(call)
            while self._too_dear(call.most) and self._n_open and self.stopped is None:
                self._changed.wait()
            if self.stopped is None and limit is not None and self.n_requests >= limit:
                self._stop("max_requests")
            if self.stopped is None and self._too_dear(call.most):
                self._stop("max_cost")
            self.check()
            self.n_requests += 1
            self.n_retries += call.attempts > 0
            call.attempts += 1
            call.open = True
            self._n_open += 1
            self._open += call.most

    def after(self, response: object) -> None:
        """A reply has begun to come."""
        if int(getattr(response, "status_code", 0)) >= REFUSED:
            self._settle(0.0)

    def paid(self, cost: float | None) -> None:
        """The reply is there.

        Args:
            cost: what it cost; None where the server did not count, so that the most it can be is taken.
        """
        self._settle(self._call.most if cost is None else cost)

    def end(self) -> None:
        """The request of this thread is over, with or without a reply."""
        with self._changed:
            self._lose(self._call)

    def stop(self, why: str | Exception) -> None:
        """Ask nothing more; the first reason stands."""
        with self._changed:
            self._stop(why)

    def check(self) -> None:
        """Raise where nothing more is asked.

        Raises:
            Stopped: so it is.
        """
        if self.stopped is not None:
            raise Stopped

    def _too_dear(self, most: float) -> bool:
        limit = self.settings.max_cost
        return limit is not None and self.spent + self._lost + self._open + most > limit

    def _stop(self, why: str | Exception) -> None:
        self.stopped = self.stopped or why
        self._changed.notify_all()

    def _settle(self, cost: float) -> None:
        with self._changed:
            if self._close(self._call):
                self.spent += cost

    def _lose(self, call: _Call) -> None:
        if self._close(call):
            self.n_lost += 1
            self._lost += call.most

    def _close(self, call: _Call) -> bool:
        was_open, call.open = call.open, False
        if was_open:
            self._n_open -= 1
            self._open = self._open - call.most if self._n_open else 0.0
            self._changed.notify_all()
        return was_open
