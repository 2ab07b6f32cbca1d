-- Takes a star in a path for what is allowed.
-- From: Node's CVE-2024-21890, where --allow-fs-read=/home/*.js allowed more than it said.
-- flags: --allow-read=../out*
local e = require "support"
e.denied(io.open, "../outside/canary.txt")
e.fails(io.open, "../out*/canary.txt")
e.held()
