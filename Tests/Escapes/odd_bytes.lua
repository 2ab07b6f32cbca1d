-- Names files by bytes that are no text, and by two spellings of one letter.
-- From: comparisons after normalization, such as those of macOS and of Unicode-aware strings (Swift's ==).
-- flags: --allow-read=../café --allow-write=../café
local e = require "support"
-- What is allowed is a folder whose name has the composed letter; this one has a letter and an accent.
e.denied(io.open, "../cafe\u{301}/canary.txt")
e.denied(io.open, "../cafe\u{301}/new.txt", "w")
e.denied(io.open, e.outside .. "/canary\xff.txt")
e.fails(io.open, "../outside\xff/canary.txt")
e.denied(io.open, "../\u{ff4f}utside/canary.txt")
e.held()
