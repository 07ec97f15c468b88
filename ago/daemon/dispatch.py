"""Dispatch: a tool call in, a response out, whatever happens on the way.

Invariant: this is the only catcher of Reject, and nothing raises through it; one mutation runs at a
time, reads and test runs beside it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from ago.catalog.schema import tools
from ago.daemon.budget import fit
from ago.daemon.caller import Answer, Caller
from ago.daemon.once import Once
from ago.daemon.resend import Resends, cause, escalation, request_key
from ago.daemon.understand import Understood, understand
from ago.protocol.errors import (
    EXIT_INTERNAL,
    EXIT_OK,
    EXIT_REJECTED,
    EXIT_TESTS_FAILED,
    AgoError,
    Bug,
    Busy,
)
from ago.protocol.lenient import parse_request, refuse_nul
from ago.protocol.requests import READS, RUNS, WRITES, Request
from ago.protocol.responses import Failed, failed, rejected
from ago.repair.escalate import find_other_way, look_closer
from grammar_ops.reject import Json, Reject, Repair, register

log = logging.getLogger(__name__)

register("daemon", {"unknown_tool": "there is no tool of that name"})

WRITER_WAIT_S = 120.0
"""How long a mutation waits for the one before it."""

_MODELS: dict[str, type[Request]] = {**READS, **WRITES, **RUNS}


Handler = Callable[[Request, Caller], dict[str, Json]]
RepairBuilder = Callable[[Reject, str, dict[str, Json]], tuple[Repair, ...]]


class Dispatcher:
    """The tool table of one workspace, and what is remembered between calls."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        build_repairs: RepairBuilder,
        budget_tokens: int,
        take_notices: Callable[[], list[Json]] = list,
        find_edit: Callable[[str], int] = lambda _: 0,
    ) -> None:
        """`handlers` has one entry for each tool that is no sugar.

        `find_edit` knows the accepted edits of earlier processes by their keys.

        `take_notices` gives what the next response says beside its own: {"msg", "call"?} each.
        """
        self._handlers, self._build_repairs, self._budget = handlers, build_repairs, budget_tokens
        self._take_notices = take_notices
        self._resends = Resends()
        self._once = Once(find_edit)
        self._writer = threading.Lock()

    def try_out(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a dry run or a read; raises Reject. Counts as no request of anybody."""
        return self._serve(understand(tool, args), Caller())

    def call(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a tool call; never raises."""
        return self.answer(tool, args).body

    def answer(self, tool: str, args: dict[str, Json], caller: Caller | None = None) -> Answer:
        """The response to a tool call with its exit code; never raises."""
        answer = self._answer(tool, args, caller or Caller())
        if notices := self._take_notices():
            answer.body["notices"] = notices
        return answer

    def _answer(self, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        key = request_key(tool, args)
        call = Understood(tool, args)
        try:
            call = understand(tool, args)
            body = self._serve(call, caller)
        except Reject as reject:
            return Answer(self._refuse(reject, call, key, caller), EXIT_REJECTED)
        except AgoError as error:
            log.warning("%s failed: %s: %s", tool, error.key, error.message)
            return Answer(failed(error).wire(), error.exit_code)
        except Exception as error:
            log.exception("%s failed", tool)
            return Answer(_internal(error).wire(), EXIT_INTERNAL)
        self._resends.forget(key)
        tests_failed = body.get("pass") is False
        return Answer(body, EXIT_TESTS_FAILED if tests_failed else EXIT_OK)

    def _serve(self, call: Understood, caller: Caller) -> dict[str, Json]:
        refuse_nul(call.args)
        tool, args = call.served
        if tool not in self._handlers:
            near = tuple(get_close_matches(tool, tools(), n=3, cutoff=0.5))
            raise Reject("unknown_tool", f"{tool}; tools are {', '.join(tools())}", (), near)
        request = parse_request(_MODELS[tool], args)
        if tool in WRITES:
            body = self._write(tool, request, caller)
        else:
            body = self._handlers[tool](request, caller)
        body = {"status": body["status"], **body}
        if following := body.get("next_offset"):
            body["next"] = {"tool": tool, "args": {**args, "offset": following}}
        if call.said:
            body["normalised"] = list(call.said)
        asked = getattr(request, "max_tokens", 0)
        return fit(body, asked or self._budget)

    def _write(self, tool: str, request: Request, caller: Caller) -> dict[str, Json]:
        if not self._writer.acquire(timeout=WRITER_WAIT_S):
            message = f"another edit has been running for {WRITER_WAIT_S:.0f} s"
            raise Busy("writer_busy", message, "try again; `ago log` shows what was accepted")
        try:
            if caller.gone.is_set():
                raise Busy("cancelled", "nobody waits for this edit any more", "send it again")
            return self._write_once(tool, request, caller)
        finally:
            self._writer.release()

    def _write_once(self, tool: str, request: Request, caller: Caller) -> dict[str, Json]:
        """Make an edit, unless the one of its key has been made."""
        given = str(getattr(request, "idempotency_key", ""))
        digest = request_key(tool, request.model_dump(exclude_defaults=True))
        if (given or caller.again) and (known := self._once.find(given or caller.key, digest)):
            return known
        if caller.key and not given:
            request = request.model_copy(update={"idempotency_key": caller.key})
        body = self._handlers[tool](request, caller)
        if (key := given or caller.key) and body["status"] == "accepted":
            self._once.keep(key, digest, body)
        return body

    def _refuse(
        self, reject: Reject, call: Understood, key: str, caller: Caller
    ) -> dict[str, Json]:
        resent = self._resends.count(key, cause(reject))
        if not caller.wants_repairs:
            reject.repairs = ()
            return fit(rejected(reject).wire(), self._budget)
        repairs, look = self._lead_on(reject, call, resent)
        response = rejected(reject, repairs)
        if call.said:
            response = response.model_copy(update={"normalised": [*call.said]})
        if resent:
            advice = escalation(resent, bool(repairs))
            more = {"resent": resent, "escalation": advice, "look": look}
            response = response.model_copy(update=more)
        return fit(response.wire(), self._budget)

    def _lead_on(
        self, reject: Reject, call: Understood, resent: int
    ) -> tuple[tuple[Repair, ...], dict[str, Json]]:
        """The repairs; the second time a look at what the call speaks of, then another way."""
        try:
            if resent > 1:
                other = find_other_way(reject, call.tool, call.args, self.try_out)
                if other:
                    return other, {}
            repairs = self._offer(reject, call.tool, call.args)
            look = look_closer(reject, call.tool, call.args, self.try_out) if resent == 1 else {}
            return repairs, look
        except Exception:
            log.exception("no escalation for %s of %s", reject.reason, call.tool)
            return reject.repairs, {}

    def _offer(self, reject: Reject, tool: str, args: dict[str, Json]) -> tuple[Repair, ...]:
        """The repairs of a refusal; a failure to find any is no reason to lose the refusal."""
        try:
            return self._build_repairs(reject, tool, args) or reject.repairs
        except Exception:
            log.exception("repairs for %s of %s failed", reject.reason, tool)
            return reject.repairs


def _internal(error: Exception) -> Failed:
    kind = "a broken invariant" if isinstance(error, Bug) else type(error).__name__
    return Failed(
        key="internal",
        message=f"{kind}: {error}",
        mend="nothing was written unless `ago log` lists it; the daemon's log has the details",
    )
