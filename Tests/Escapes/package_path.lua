-- Makes require read outside the script's folder.
-- From: OpenResty's lua_package_path, and scripts that load their own module in place of the host's.
local e = require "support"
package.path = e.outside .. "/?.lua"
e.denied(require, "module")
package.path = "../outside/?.lua;./?.lua"
e.denied(require, "module")
package.path = "linked/?.lua"
e.denied(require, "module")
e.held()
