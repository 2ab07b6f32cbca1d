-- Names files with bytes that are not valid text, and with two spellings of one letter.
-- From: comparisons after normalization, such as those of macOS and of Unicode-aware strings (Swift's ==).
-- flags: --allow-read=../café --allow-write=../café
local e = require "support"
-- The allowed folder has the composed letter in its name; this path has the letter and a combining accent.
e.denied(io.open, "../cafe\u{301}/canary.txt")
e.denied(io.open, "../cafe\u{301}/new.txt", "w")
e.denied(io.open, e.outside .. "/canary\xff.txt")
e.fails(io.open, "../outside\xff/canary.txt")
e.denied(io.open, "../\u{ff4f}utside/canary.txt")
e.held()
