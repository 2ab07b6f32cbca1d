-- Goes up by the name of a module.
-- From: path traversal in require of nodes and nginx modules: a name is put into the path as it is.
local e = require "support"
e.fails(require, "../outside/module")
e.fails(require, "..outside.module")
e.fails(require, "linked.module")
e.fails(require, "linked/module")
e.fails(require, "module\0")
package.path = "?"
e.denied(require, "/" .. "etc/hostname")
e.held()
