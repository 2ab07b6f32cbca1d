-- Declares in its header that it needs all permissions. A declaration is not a grant.
-- From: manifests that are taken for a grant, as in browsers before they asked about extensions.
-- needs: -A  to do what it likes
-- needs: --allow-read --allow-net --allow-env --allow-run --allow-write  all of it
local e = require "support"
e.denied(io.open, e.outside .. "/canary.txt")
e.denied(os.getenv, "CANARY_VARIABLE")
e.denied(os.execute, "true")
e.denied(require("b2c.http").get, e.listener)
e.held()
