-- Replaces a file with a symbolic link during its import, while the import waits.
-- From: races between the check and the use of a path (CWE-367), with two coroutines.
-- flags: --allow-write=.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
pcall(b2c.async.all, {
  function()
    for _ = 1, 20 do
      os.rename("rows.csv", "rows.old") os.rename("link.csv", "rows.csv")
      b2c.async.sleep(0)
      os.rename("rows.csv", "link.csv") os.rename("rows.old", "rows.csv")
      b2c.async.sleep(0)
    end
  end,
  function()
    for _ = 1, 20 do
      local ok, report = pcall(b2c.tasks.import, "rows.csv", { progress = false, failed_rows = false, journal = false })
      if not ok and report.code ~= "permission_denied" and not tostring(report):find "rows.csv" then print("ODD", report) end
      b2c.async.sleep(0)
    end
  end,
})
for _, task in ipairs(b2c.tasks.list()) do if task.text:find "canary" then e.escaped(task.text) end end
e.held()
