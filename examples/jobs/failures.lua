-- Posts a notice when a job fails, and when it works again.
--
-- needs: --allow-net=hooks.example.com  posts the notice
-- needs: --allow-secret=notices  the key of the address

local b2c = require "b2c"

local run = b2c.job {
  summary = "Tells of failures and recoveries",
  on = {
    { after = "*", result = "failed" },
    { after = "*", result = "recovered" },
    { after = "nightly", result = "late", late_after = "3h" },
  },
  retry = { attempts = 10, first = "10s", most = "10m" },
}

local other = run.event.run
if not other then return print "by hand nothing has failed" end

local text = ("%s: %s"):format(other.job, other.result)
if other.error then text = ("%s, %s"):format(text, other.error.message) end
b2c.http.post("https://hooks.example.com/notices", {
  json = { text = text, run = other.id },
  headers = { Authorization = b2c.secrets.get "notices" },
})
