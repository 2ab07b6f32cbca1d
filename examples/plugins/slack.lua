-- Posts to a Slack channel, or to whatever takes such messages, when an import ends with rows that failed or does not
-- come to its end.
--
--   cp examples/plugins/slack.lua plugins/
--   b2c-run --allow-net=hooks.slack.com slack-test
--   b2c-run --allow-net=hooks.slack.com import tasks.csv
--
-- The address is the setting slackWebhook, in settings.plist or as --set slackWebhook=https://hooks.slack.com/services/…
-- Who knows it can post to the channel: keep it out of scripts.
--
-- needs: --allow-net=hooks.slack.com  posts there how an import ended

local b2c = require "b2c"
local http, settings = b2c.http, b2c.settings

local function post(text)
  local url = settings.slackWebhook
  if not url then error("the setting slackWebhook is missing: --set slackWebhook=https://…", 0) end
  local answer = http.post(url, { json = { text = text }, timeout = 10, raise = false })
  -- Its address is as good as a password, so it is not in the message.
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
