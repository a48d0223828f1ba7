"""What the server writes for who runs it: so many lines a minute and no more, each of a bounded length, so that nobody
who sends nonsense fills a disk with it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time

from luozi.messages import translate
from luozi.web.limits import ServerLimits
from luozi.web.rates import TokenBucket


class Bounded(logging.Filter):
    """Lets so many lines through, cut where they are too long, and counts the others.

    >>> bounded = Bounded(ServerLimits(log_lines_a_minute=0.001, log_lines_at_once=1, log_characters=4))
    >>> records = [logging.makeLogRecord({"msg": "a long line"}) for _ in range(3)]
    >>> [bounded.filter(one) for one in records], records[0].getMessage(), bounded.left_out
    ([True, False, False], 'a lo...', 2)
    """

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__()
        self.limits, self.left_out = limits, 0
        self._lines = TokenBucket(limits.log_lines_a_minute / 60, limits.log_lines_at_once)
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written; it is short then."""
        with self._lock:
            if not self._lines.takes(time.monotonic()):
                self.left_out += 1
                return False
            left_out, self.left_out = self.left_out, 0
        text = self._cut(self._text(record))
        more = translate("{count} more lines were left out", count=left_out)
        record.msg = f"{text} ({more})" if left_out else text
        record.args, record.stack_info = (), None
        if record.exc_info:
            record.exc_text = self._cut(logging.Formatter().formatException(record.exc_info), end=True)
            record.exc_info = None
        return True

    def _text(self, record: logging.LogRecord) -> str:
        try:
            return record.getMessage()
        except Exception:  # what was to come in does not fit
            return str(record.msg)

    def _cut(self, text: str, end: bool = False) -> str:
        """The beginning of a long text, or its end, where an error says what it was."""
        most = self.limits.log_characters
        if len(text) <= most:
            return text
        return f"...{text[-most:]}" if end else f"{text[:most]}..."


def bound_logs(limits: ServerLimits) -> logging.Handler:
    """Have everything that is written go through one handler, which writes so much and no more."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Bounded(limits))
    logging.getLogger().addHandler(handler)
    return handler
