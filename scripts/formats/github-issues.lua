-- Issues of GitHub, as gh issue list --json and the REST API write them (facts of November 2026). Pull requests are passed over. The milestone is
-- the list, and its day the due date.

local apps = require "formats.apps"

return { rows = apps.json(function(document, out)
  for _, issue in ipairs(document) do
    if issue.pull_request then
      out.skip "pull request"
    else
      local milestone, lost = apps.object(issue.milestone), {}
      local done = (apps.text(issue.state) or ""):lower() == "closed"
      apps.lose(lost, "assignee", apps.names(issue.assignees, "login")[1])
      out.add({
        text = apps.text(issue.title), notes = apps.text(issue.body), completed = done, completed_at = done and (apps.text(issue.closedAt) or apps.text(issue.closed_at)) or nil,
        due = apps.day(apps.text(milestone.dueOn) or apps.text(milestone.due_on)), labels = apps.names(issue.labels, "name"), list = apps.text(milestone.title),
        url = apps.text(issue.html_url) or apps.text(issue.url), source_id = apps.text(issue.number),
      }, lost)
    end
  end
end) }
