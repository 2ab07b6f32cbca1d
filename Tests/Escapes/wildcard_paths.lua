-- Uses a star in a path as if the star were allowed as a wildcard.
-- From: Node's CVE-2024-21890, where --allow-fs-read=/home/*.js allowed more files than it named.
-- flags: --allow-read=../out*
local e = require "support"
e.denied(io.open, "../outside/canary.txt")
e.fails(io.open, "../out*/canary.txt")
e.held()
