import CommandLineSupport
import Foundation
import Testing

@Suite("test.run")
struct TestedScriptTests {
  @Test("log lines of the tested script have neither secrets nor control characters in them")
  func log() throws {
    let program = try Program()
    try program.write(
      "w.lua",
      """
      local b2c = require "b2c"
      local token = b2c.accounts.current():token()
      b2c.log.warn("the token is " .. token:reveal(), { token = token:reveal() })
      b2c.log.info("red\\27[31m\\7 text\\nsecond line")
      """)
    try program.write(
      "w_test.lua",
      """
      it("logs", function()
        tenant.sign_in()
        local log = test.run("w.lua").log
        expect(log).to_contain "warn  the token is [secret]  token=[secret]\\n"
        expect(log).never.to_match "[%z\\1-\\9\\11-\\31\\127]"
        expect(log).to_match "info  red.*text\\n      second line\\n"
      end)
      """)
    let result = try program.run("test", "w_test.lua")
    #expect(result.status == 0, "\(result)")
  }

  @Test("a file that is too large for a script is refused with its limit, and by --memory like any memory")
  func largeFile() throws {
    let program = try Program()
    let path = try program.write("big.lua", "")
    #expect(truncate(path, 65 << 20) == 0)
    try program.write(
      "w_test.lua",
      """
      it("is refused", function()
        expect(function() test.run "big.lua" end).to_raise {
          code = "file_unreadable",
          message = "test.run: cannot read ./big.lua: it has more than 64 MiB, the most that a tested script may have",
        }
      end)
      """)
    let result = try program.run("test", "w_test.lua")
    #expect(result.status == 0, "\(result)")
    let limited = try program.run("--memory", "64M", "test", "w_test.lua")
    #expect(limited.status == 1)
    #expect(limited.output.contains("not enough memory"), "\(limited)")
  }

  @Test("a failed test shows the script's error, its line, its hint, its log and its output, in each report")
  func failure() throws {
    let program = try Program()
    try program.write(
      "w.lua", "local b2c = require 'b2c'\nprint 'one'\nb2c.log.warn 'careful'\n  b2c.tasks.ad('x')\n")
    try program.write("w_test.lua", "it('works', function() expect(test.run('w.lua').status).to_equal(0) end)")
    let result = try program.run("test")
    #expect(
      result.output.contains(
        """
            expected  0
            got       1
            w.lua ended with status 1
              w.lua:4:  b2c.tasks.ad('x')
                attempt to call a nil value (field 'ad')
                hint: b2c.tasks has no 'ad'; did you mean 'add'?
              logged
                warn  careful
              printed
                one

        """), "\(result)")
    let tap = try program.run("test", "--report", "tap").output
    #expect(tap.contains("error: \"w.lua:4: attempt to call a nil value (field 'ad')\"\n      hint: "), "\(tap)")
    let junit = try program.run("test", "--report", "junit").output
    #expect(junit.contains("attempt to call a nil value (field 'ad')&#10;        hint: "), "\(junit)")
  }
}
