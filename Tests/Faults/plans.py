"""A plan, its application and its undo, each with a call that fails."""

import csv
import json
import re
from pathlib import Path

BEFORE = {"1": "a", "2": "b"}
WANTED = {"1": "a", "2": "B", "3": "c"}
PHASES = ("plan", "apply", "undo")


class Planned:
    """Two tasks of an earlier plan, and a file that leaves one as it is, changes the other and brings a third."""

    def __init__(self, ground, store: Path, folder: Path, name: str) -> None:
        self.ground, self.store, self.name = ground, store, name
        self.state = folder / "state"
        self.plan, self.receipt = self.state / "plan.json", self.state / "receipt.csv"
        self.source = self.write(folder / "wanted.csv", WANTED)
        base = self.state / "base.json"
        self.good("import", self.write(folder / "before.csv", BEFORE), "--key", "Key", "--plan", base)
        self.good("import", "--apply", base)

    def write(self, path: Path, rows: dict[str, str]) -> Path:
        lines = [f"{self.name}-{key},{self.name} {text}\n" for key, text in rows.items()]
        path.write_text("Key,Text\n" + "".join(lines), encoding="utf-8")
        return path

    def words(self, phase: str) -> tuple:
        match phase:
            case "plan":
                return ("import", self.source, "--key", "Key", "--plan", self.plan)
            case "apply":
                return ("import", "--apply", self.plan, "--receipt", self.receipt)
            case _:
                return ("imports", "undo", self.undone, "--apply")

    def prepare(self, phase: str) -> None:
        """Does what comes before a phase."""
        for earlier in PHASES[:PHASES.index(phase)]:
            said = self.good(*self.words(earlier))
            if earlier == "apply":
                self.undone = re.search(r"imports undo (\w+)", said).group(1)

    def run(self, phase: str, fault):
        return self.ground.run(self.store, *self.words(phase), fault=fault, state=self.state)

    def good(self, *words, about=None) -> str:
        return self.ground.good(self.store, *words, about=about, state=self.state)

    def tasks(self) -> list[str]:
        """The texts of the tasks of this plan."""
        prefix = f"{self.name} "
        listed = self.good(
            "-e", f'for task in b2c.tasks.each() do if task.text:find("{prefix}", 1, true) == 1 then print(task.text) end end')
        return sorted(line.removeprefix(prefix) for line in listed.splitlines())

    def problem_after(self, phase: str) -> str | None:
        """The promise that is broken after a run without faults; nil if all are kept."""
        expected = WANTED if phase == "apply" else BEFORE
        if (tasks := self.tasks()) != sorted(expected.values()):
            return f"the tasks are {tasks}"
        if phase == "plan":
            actions = [row["action"] for row in json.loads(self.plan.read_text(encoding="utf-8"))["rows"]]
            return None if actions == ["same", "change", "create"] else f"the plan has {actions}"
        if phase == "apply":
            with open(self.receipt, encoding="utf-8", newline="") as file:
                outcomes = [row["_outcome"] for row in csv.DictReader(file)]
            return None if outcomes == ["same", "changed", "created"] else f"the receipt has {outcomes}"
        return None
