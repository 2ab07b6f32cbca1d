"""Compares a call from Lua into the host with a plain C function in Debian's interpreter."""

from .tools import Row, Setting, best, output, program

TITLE = "A host call that does next to nothing, nanoseconds"


def measure(setting: Setting) -> list[Row]:
    folder = setting.folder
    source = setting.root / "bench/peers/plain_call.c"
    output([program("cc", "gcc"), "-O2", "-shared", "-fPIC", "-I/usr/include/lua5.4", "-o", folder / "plain_call.so", source])
    script = setting.root / "bench/lua/host_call.lua"
    peer = f"package.cpath = '{folder}/?.so'; call = require('plain_call').is_tty"
    times = best(
        setting.rounds,
        {
            "host": lambda: float(output([setting.binary, script])),
            "lua": lambda: float(output([program("lua5.4", "lua5.4"), "-e", peer, script])),
        },
        min)
    return [
        Row("C function in lua5.4", f"{times['lua']:.1f}"),
        Row("b2c.term.is_tty() in b2c-run", f"{times['host']:.1f}", f"{times['host'] / times['lua']:.2f} times (aim: at most 2)"),
    ]
