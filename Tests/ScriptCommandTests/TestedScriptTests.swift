import CommandLineSupport
import Foundation
import Testing

@Suite("test.run")
struct TestedScriptTests {
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
}
