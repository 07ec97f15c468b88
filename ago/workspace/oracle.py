"""Questions about types, each asked of the build that its file or package is of.

Invariant: text alone (format, syntax) is any build's; a question about a view's code is the view's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ago.checker.calls import Calls
from ago.checker.checker import FormatItem, Formatted, Overlay, TypeOracle
from ago.checker.client import ResidentChecker
from ago.workspace.packages import OK, View
from grammar_ops.reject import Json

_ABOUT = ("file", "from", "pkg")


class Oracle(TypeOracle):
    """The checkers of the root's build and of its views as one."""

    def __init__(
        self,
        resident: ResidentChecker,
        views: Callable[[], Sequence[View]],
        checker_of: Callable[[str], ResidentChecker],
        contexts_of: Callable[[dict[str, Json]], Sequence[Calls]],
    ) -> None:
        """`checker_of` gives the checker of the view in a folder, `contexts_of` the further
        contexts that can answer a question where the own build can't, or not alone."""
        self._resident, self._views, self._checker_of = resident, views, checker_of
        self._contexts_of = contexts_of

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Answer typed questions over base + overlay."""
        views = [view for view in self._views() if view.state == OK]
        homes = [_home(question, views) for question in questions]
        answers: list[dict[str, Json]] = [{}] * len(questions)
        for home in dict.fromkeys(homes):
            asked = [i for i, other in enumerate(homes) if other == home]
            checker = self._resident if home is None else self._checker_of(home.dir)
            found = checker.ask(overlay, [questions[i] for i in asked])
            for i, answer in zip(asked, found, strict=True):
                answers[i] = answer
        for view in views:
            self._add_uses(view, overlay, questions, homes, answers)
        return [
            answer if home else self._in_contexts(overlay, question, answer)
            for question, answer, home in zip(questions, answers, homes, strict=True)
        ]

    def _in_contexts(
        self, overlay: Overlay, question: dict[str, Json], answer: dict[str, Json]
    ) -> dict[str, Json]:
        """The answer with what further contexts know beside it: uses in the files that they alone
        compile, and all that is asked of such a file."""
        for build in self._contexts_of(question):
            (found,) = build.ask(overlay, [question])
            if "error" in found:
                continue
            if "error" in answer or "uses" not in found:
                answer = found
                continue
            known = {(row["file"], row["offset"]) for row in _rows(answer)}
            more = [row for row in _rows(found) if (row["file"], row["offset"]) not in known]
            answer = {**answer, "uses": [*_rows(answer), *more]}
        return answer

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Format files by the rules of the wire contract."""
        return self._resident.format(items)

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment, None when it is Go."""
        return self._resident.syntax(kind, text)

    def _add_uses(
        self, view: View, overlay: Overlay, questions: Sequence[dict[str, Json]],
        homes: Sequence[View | None], answers: list[dict[str, Json]],
    ) -> None:  # fmt: skip
        """Add the uses in a view's files to those of objects that are at home elsewhere."""
        asked = [
            i
            for i, question in enumerate(questions)
            if question["kind"] == "uses_of" and question.get("pkg") and homes[i] != view
        ]
        if not asked or not view.replaces:
            return
        found = self._checker_of(view.dir).ask(overlay, [questions[i] for i in asked])
        for i, answer in zip(asked, found, strict=True):
            own = [row for row in _rows(answer) if view.concerns([str(row["file"])], own=True)]
            if own:
                answers[i] = {**answers[i], "uses": [*_rows(answers[i]), *own]}


def _home(question: dict[str, Json], views: Sequence[View]) -> View | None:
    """The view whose code a question is about, None for the root's build."""
    texts = [str(question[key]) for key in _ABOUT if question.get(key)]
    inside = [view for view in views if any(view.owns(text) for text in texts[:1])]
    return max(inside, key=lambda view: len(view.dir), default=None)


def _rows(answer: dict[str, Json]) -> list[dict[str, Json]]:
    uses = answer.get("uses")
    return [row for row in uses if isinstance(row, dict)] if isinstance(uses, list) else []
