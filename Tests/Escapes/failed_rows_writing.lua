-- The same where the folder may be written: a link in it leads out all the same.
-- From: the same, with half of a permission.
-- flags: --allow-write=.
-- status: 5
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
for _, name in ipairs { "bad.csv", "dangling.csv" } do
  e.fails(b2c.tasks.import, name, { journal = false, progress = false })
end
e.held()
