-- Has permission for one variable and reads variables with similar names.
-- From: comparisons by prefix or without regard to case.
-- flags: --allow-env=CANARY,CANARY_VARIABLES,canary_variable
local e = require "support"
e.denied(os.getenv, "CANARY_VARIABLE")
e.denied(os.getenv, "CANARY_VARIABLE\0S")
e.fails(os.getenv, "CANARY")
e.held()
