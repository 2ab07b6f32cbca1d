"""Measures what coverage and profile cost a script that computes, beside the run without them."""

import tempfile
import time
from pathlib import Path

from .tools import Row, Setting, best, output

TITLE = "The workbench, seconds"
LOOP = """
it("computes", function()
  local sum = 0
  for i = 1, 1e7 do
    if i % 3 == 0 then sum = sum + i else sum = sum - 1 end
  end
  assert(sum > 0)
end)
"""
WORKFLOW = """
local json = require("b2c").json
it("maps rows", function()
  local seen, count = {}, 0
  for i = 1, 100000 do
    local row = json.decode('{"id": ' .. i .. ', "text": " Buy milk ", "tags": ["home", "shop"]}')
    local text = row.text:match "^%s*(.-)%s*$"
    if not seen[row.id] and row.tags[1] == "home" then
      seen[row.id] = json.encode { key = row.id, text = text:upper(), tags = table.concat(row.tags, ",") }
      count = count + 1
    end
  end
  assert(count == 100000)
end)
"""


def measure(setting: Setting) -> list[Row]:
    return [row for what, test in (("a workflow over rows", WORKFLOW), ("a loop that only computes", LOOP)) for row in compare(setting, what, test)]


def compare(setting: Setting, what: str, test: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a_test.lua").write_text(test)
        (folder / "a.lua").write_text("local function it(_, f) f() end\n" + test)

        def seconds(*words: str) -> float:
            start = time.perf_counter()
            output([setting.binary, "--quiet", *words], cwd=folder)
            return time.perf_counter() - start

        times = best(
            setting.rounds,
            {
                "test": lambda: seconds("test", "a_test.lua"),
                "coverage": lambda: seconds("test", "--coverage=lcov", "a_test.lua"),
                "run": lambda: seconds("a.lua"),
                "profile": lambda: seconds("--profile", "a.folded", "a.lua"),
            },
            min)
    return [
        Row(f"test of {what}", f"{times['test']:.2f}"),
        Row("with --coverage=lcov", f"{times['coverage']:.2f}", f"{times['coverage'] / times['test']:.2f} times as long (aim: below 2)"),
        Row(f"script of {what}", f"{times['run']:.2f}"),
        Row("with --profile", f"{times['profile']:.2f}", f"{times['profile'] / times['run']:.2f} times as long (aim: below 2)"),
    ]
