-- Imports the files that come into the folder inbox, one after the other.
--
--   b2c-run jobs allow inbox --folder examples/jobs && b2c-run --local serve examples/jobs
--
-- needs: --allow-read=inbox  the files to import

local b2c = require "b2c"

local run = b2c.job {
  summary = "Imports the files of the inbox",
  on = { files = "inbox/*.csv" },
  overlap = "queue",
  retry = { attempts = 5, first = "10s", most = "10m" },
}

if not b2c.accounts.current() then
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
  b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
end
local files = run.event.files or {}
for number, file in ipairs(files) do
  -- The journal of the import continues an interrupted one, so that no row is added twice.
  local report = b2c.tasks.import(file.path)
  run.state.rows = (run.state.rows or 0) + report.added
  run.progress(number, #files, file.path)
  print(("%s: %d added, %d failed"):format(file.path, report.added, report.failed))
end
