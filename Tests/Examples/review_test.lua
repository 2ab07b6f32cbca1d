-- The test of review.lua.
--
--   b2c-run --allow-read=review --allow-write=review test jobs/review_test.lua

local b2c = require "b2c"
local tasks, tenant = b2c.tasks, b2c.tenant

describe("review", function()
  local list = "review/list.csv"

  before_each(function()
    local file <close> = assert(io.open(list, "w"))
    file:write "Nr,Title\n1,Order paper\n2,Pay the rent\n"
  end)

  it("plans, and changes nothing before a person approves", function()
    local result = test.run("review.lua", { list })
    expect(result).to_have { status = 0 }
    expect(result.output).to_contain "2 to create"
    expect(tenant.tasks "alice").to_have_length(0)

    expect(tasks.apply(list .. ".plan.json").counts).to_have { created = 2 }
    expect(tenant.tasks "alice").to_have_length(2)
  end)

  it("applies no other plan than the approved one", function()
    local plan = tasks.plan(list, { key = "Nr", plan = list .. ".plan.json", account = tenant.sign_in "alice" })
    tasks.plan(list, { key = "Title", plan = list .. ".plan.json" })
    expect(function() tasks.apply(plan) end).to_raise { code = "plan_changed" }
    expect(tenant.tasks "alice").to_have_length(0)
  end)
end)
