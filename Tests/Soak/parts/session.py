"""A Lua session on a terminal, in which many lines are typed."""

import os
import pty
import select
import subprocess
import time

from .process import Failed, Watch, report

LINES = 100_000
# The file is shortened to 1,000 entries after 2,000 others. An entry may have two lines.
HISTORY = 5_000
# The terminal's queue holds 4,096 bytes.
BATCH = 50
TYPED = (
    "x = (x or 0) + 1", "x", "'text ' .. x", "local y = x * 2", "for i = 1, 9 do x = x + i end", "error('as it must')",
    "wrong wrong", "{ x = x, list = { 1, 2, 3 } }", "function f(n)", "return n + 1 end", "f(x)", "tasks.\t", "tasks.add",
    "async.sleep(0)", "string.rep('a', 60)", "nil + 1", "#b2c.accounts.all()",
)


class Typist:
    """Types at a program's terminal, and reads all that it shows."""

    def __init__(self, master: int):
        self.master = master
        self.shown = b""

    def type(self, text: str) -> None:
        data = text.encode()
        while data:
            _, writable, _ = select.select([], [self.master], [], 0)
            self.read(0)
            if writable:
                data = data[os.write(self.master, data[:512]):]

    def read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.shown = (self.shown + os.read(self.master, 65536))[-65536:]
        except OSError as error:
            raise Failed(f"the session ended: {self.shown[-300:]!r}") from error
        return True

    def expect(self, text: str) -> None:
        end = time.monotonic() + 60
        while text.encode() not in self.shown:
            if time.monotonic() > end:
                raise Failed(f"the screen does not show {text}: {self.shown[-500:]!r}")
            self.read(1)
        self.shown = b""


def measure(setting) -> bool:
    lines = setting.count or LINES
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [setting.binary, "--local"], preexec_fn=lambda: os.login_tty(slave), pass_fds=[slave], cwd=setting.folder,
        env=setting.environment | {"TERM": "xterm", "NO_COLOR": "1"})
    os.close(slave)
    typist = Typist(master)
    typist.expect("> ")
    watch, typed, batch = Watch(process.pid), 0, 0
    start = time.monotonic()
    with watch.every(0.5):
        while typed < lines:
            batch += 1
            texts = [f"{TYPED[(typed + number) % len(TYPED)]}\n" for number in range(BATCH - 1)]
            # A function that is not complete yet would take the mark.
            while texts[-1].startswith("function") or "\t" in texts[-1]:
                texts.pop()
            typist.type("".join(texts) + f"print('mark', {batch} * 10 + 1)\n")
            typist.expect(f"mark\t{batch * 10 + 1}\r\n")
            typed += len(texts) + 1
    watch.save(setting.folder / "session.csv")
    typist.type("exit\n")
    while process.poll() is None:
        try:
            typist.read(1)
        except Failed:
            break
    status = process.wait()
    entries = len((setting.folder / ".local/state/b2c-run/history").read_bytes().splitlines())
    print(f"{typed:,} lines in {time.monotonic() - start:.0f} s, status {status}; {entries:,} lines of history (limit {HISTORY:,})")
    return status == 0 and entries <= HISTORY and report(f"session with {lines:,} lines", watch, warm_up=0.1)

