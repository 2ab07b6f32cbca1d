-- Posts a message to a Slack channel, or to a compatible webhook, if an import has failed rows or is not completed.
--
--   cp examples/plugins/slack.lua plugins/
--   b2c-run --allow-net=hooks.slack.com slack-test
--   b2c-run --allow-net=hooks.slack.com import tasks.csv
--
-- The setting slackWebhook holds the address. Write it into settings.plist, or give it on the command line:
-- --set slackWebhook=https://hooks.slack.com/services/…
-- Anyone who knows the address can post to the channel, so keep it out of scripts.
--
-- needs: --allow-net=hooks.slack.com  posts the result of an import

local b2c = require "b2c"
local http, settings = b2c.http, b2c.settings

local function post(text)
  local url = settings.slackWebhook
  if not url then error("the setting slackWebhook is missing: --set slackWebhook=https://…", 0) end
  local answer = http.post(url, { json = { text = text }, timeout = 10, raise = false })
  -- The message leaves out the address, which is as secret as a password.
  if answer.status >= 300 then error(("the webhook answered %d: %s"):format(answer.status, answer.body:sub(1, 100)), 0) end
end

local function after_import(report)
  local is_over = report.ending == "finished" and report.failed + report.unsettled == 0
  if is_over or report.ending == "dry_run" or not settings.slackWebhook then return end
  local lines = { ("Import of %s: %s"):format(report.source, report.ending) }
  if report.added then
    lines[#lines + 1] = ("%d added, %d failed, %d unsettled"):format(report.added, report.failed, report.unsettled)
  end
  if report.error then lines[#lines + 1] = tostring(report.error) end
  for i, failure in ipairs(report.failures or {}) do
    if i > 3 then break end
    lines[#lines + 1] = ("row %d: %s"):format(failure.row, failure.reason)
  end
  post(table.concat(lines, "\n"))
end

return {
  name = "slack",
  version = "1.0",
  commands = {
    ["slack-test"] = {
      summary = "Posts a message to the webhook of the settings, to see that it arrives.",
      positions = { { "[TEXT]", "what to post" } },
      run = function(options) post(options[1] or "b2c-run can post here.") end,
    },
  },
  hooks = { after_import = after_import },
}
