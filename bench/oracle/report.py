"""What a run found: verdicts, ops by the number of commits they took part in, what is missing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bench.oracle.history import Commit
from bench.oracle.replay import Outcome

FAULTS = ("rejected", "differs", "failed")


class Report:
    """Counts over the commits of one repository."""

    def __init__(self, repo: str, commits: int) -> None:
        self.repo, self.commits = repo, commits
        self.verdicts = {"go only": Counter[str](), "with other files": Counter[str]()}
        self.ops: Counter[str] = Counter()
        self.lowered: Counter[str] = Counter()
        self.whole_bodies: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.rows: list[dict[str, Any]] = []
        self.seconds = 0.0

    def add(self, commit: Commit, outcome: Outcome | None, seconds: float) -> None:
        """Count one commit."""
        self.seconds += seconds
        if outcome is None:
            return
        self.verdicts["with other files" if commit.others else "go only"][outcome.verdict] += 1
        if outcome.verdict == "equal":
            self.ops.update(set(outcome.ops))
        else:
            self.classes[f"{outcome.verdict}: {outcome.why}"] += 1
            self.rows.append(
                {
                    "commit": commit.id, "title": commit.title, "verdict": outcome.verdict,
                    "why": outcome.why, "go_only": not commit.others,
                    "files": outcome.differing,
                    "detail": str(outcome.answer.get("detail", ""))[:300],
                }
            )  # fmt: skip
        for op, why in outcome.lowered:
            if op == "statements":
                self.whole_bodies[why] += 1
            else:
                self.lowered[f"{op}: {why}"] += 1

    @property
    def faults(self) -> int:
        """Refused or different commits."""
        return sum(count[v] for count in self.verdicts.values() for v in FAULTS)

    def line(self, commit: Commit, outcome: Outcome | None, seconds: float) -> str:
        """One commit as a line."""
        if outcome is None:
            return f"{commit.id[:9]} no Go source"
        ops = " ".join(f"{op}×{n}" for op, n in sorted(outcome.ops.items()))
        why = f" ({outcome.why})" if outcome.verdict != "equal" else ""
        detail = str(outcome.answer.get("detail", ""))[:100] if why else ""
        low = "; ".join(f"{op}: {reason}" for op, reason in outcome.lowered)
        return f"{commit.id[:9]} {seconds:.1f} s {outcome.verdict}{why} {detail} {ops} {low}"

    def record(self) -> dict[str, Any]:
        """Everything as plain data, without the texts of the repository itself."""
        rows = [{k: v for k, v in row.items() if k != "title"} for row in self.rows]
        return {
            "repo": self.repo,
            "commits": self.commits,
            "verdicts": {kind: dict(count) for kind, count in self.verdicts.items()},
            "expressible_of_go_only": self._share("go only"),
            "commits_by_op": dict(self.ops.most_common()),
            "given_up_for_a_coarser_way": dict(self.lowered.most_common()),
            "bodies_set_whole_for": dict(self.whole_bodies.most_common()),
            "not_equal": dict(self.classes.most_common()),
            "rows": rows,
            "seconds": round(self.seconds),
        }

    def _share(self, kind: str) -> float:
        count = self.verdicts[kind]
        return round(count["equal"] / max(1, sum(count.values())), 3)

    def text(self) -> str:
        """The report for a person."""
        lines = [f"{self.repo}: {self.commits} commits, {self.seconds:.0f} s"]
        for kind, count in self.verdicts.items():
            told = ", ".join(f"{verdict} {n}" for verdict, n in count.most_common())
            lines.append(f"  {kind}: {told} ({100 * self._share(kind):.1f} % equal)")
        for title, count in (
            ("commits by op", self.ops), ("given up for a coarser way", self.lowered),
            ("bodies set whole for", self.whole_bodies),
            ("not equal", self.classes),
        ):  # fmt: skip
            lines.append(f"  {title}: " + ", ".join(f"{k} {n}" for k, n in count.most_common()))
        return "\n".join(lines)
