-- The tests of NAME.lua. Each test runs with its own local tenant.
--
--   b2c-run test PATH_test.lua

local b2c = require "b2c"
local tenant = b2c.tenant

describe("NAME", function()
  it("adds the tasks", function()
    local report = require "NAME"
    expect(report).to_have { added = 3, failed = 0 }
    expect(tenant.tasks("alice")).to_contain { text = "Buy milk" }
  end)

  it("continues when the task API starts slowly", function()
    tenant.fault { method = "POST", path = "/api/tasks", status = 503, times = 2 }
    expect(require("NAME").added).to_equal(3)
    expect(tenant.tasks("alice")).to_have_length(3)
  end)
end)
