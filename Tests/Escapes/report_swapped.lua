-- Names its own file for the report at the end of an import, and puts a symbolic link in place of the file or its
-- folder while the rows are read.
-- From: time of check, time of use (CWE-367).
-- flags: --allow-write=.
-- status: 5
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
local function try(options, swap)
  options.journal, options.progress, options.map = false, false, function(row)
    swap()
    return row
  end
  pcall(b2c.tasks.import, "worse.csv", options)
end
try({ report = "report.json" }, function() os.rename("link.txt", "report.json") end)
try({ report = "new.json" }, function() os.rename("dangling.txt", "new.json") end)
try({ failed_rows = "failed.ndjson" }, function() os.rename("link.csv", "failed.ndjson") end)
try({ report = "folder/r.json", failed_rows = "folder/f.ndjson" }, function()
  os.rename("folder", "moved")
  os.rename("linked", "folder")
end)
e.held()
