-- Goes to the parent folder by the name of a module.
-- From: path traversal in require of Node and nginx modules: the name is put into the path unchanged.
local e = require "support"
e.fails(require, "../outside/module")
e.fails(require, "..outside.module")
e.fails(require, "linked.module")
e.fails(require, "linked/module")
e.fails(require, "module\0")
package.path = "?"
e.denied(require, "/" .. "etc/hostname")
e.held()
