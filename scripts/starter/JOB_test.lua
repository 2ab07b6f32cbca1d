-- The tests of NAME.lua.
--
--   b2c-run test PATH_test.lua

describe("NAME", function()
  it("counts its runs", function()
    local result = test.run "NAME.lua"
    expect(result).to_have { status = 0 }
    expect(result.output).to_contain "run 1, started by hand"
  end)

  it("starts on working days", function()
    local jobs = test.jobs { from = "2027-01-01 00:00" }
    jobs:advance "7d"
    local runs = jobs:runs "NAME"
    expect(runs).to_have_length(5)
    expect(runs[1]).to_have { at = "2027-01-01 07:30", state = "ok" }
  end)
end)
