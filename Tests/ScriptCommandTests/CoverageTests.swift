import CommandLineSupport
import Foundation
import Testing

@Suite("test --coverage")
struct CoverageTests {
  private func program() throws -> Program {
    let program = try Program()
    try program.write(
      "lib/rates.lua",
      """
      local rates = {}

      function rates.of(amount, isMember)
        if amount < 0 then
          error("negative")
        end
        if isMember
          and amount > 100
        then
          return amount * 0.9
        end
        return amount
      end

      function rates.unused()
        return load("return 1", "=made")()
      end

      return rates
      """)
    try program.write(
      "shop.lua", "local rates = require 'lib.rates'\nfor i = 1, 3 do\n  print(rates.of(i, false))\nend\n")
    try program.write(
      "shop_test.lua",
      """
      local rates = require "lib.rates"
      it("members pay less", function() expect(rates.of(200, true)).to_equal(180) end)
      it("few goods cost the same", function() expect(rates.of(2, true)).to_equal(2) end)
      it("runs", function() expect(test.run("shop.lua").status).to_equal(0) end)
      """)
    return program
  }

  @Test("names the lines that did not run, counts branches, and leaves out tests and chunks that are no files")
  func text() throws {
    let result = try program().run("test", "--coverage")
    #expect(result.status == 0, "\(result)")
    #expect(
      result.output.hasSuffix(
        """
        coverage: 14 of 16 lines, 3 of 4 branches (87 %)
          ./lib/rates.lua: 10 of 12 lines, 3 of 4 branches (83 %); not run: 5, 16
          ./shop.lua: 4 of 4 lines (100 %)

        """), "\(result)")
  }

  @Test("lcov's file and the page have the same counts")
  func files() throws {
    let program = try program()
    #expect(try program.run("test", "--coverage=lcov").status == 0)
    let lcov = try String(contentsOf: program.folder.appending(path: "coverage.lcov"), encoding: .utf8)
    for line in [
      "SF:./lib/rates.lua", "DA:5,0", "DA:12,4", "BRDA:4,0,0,0", "BRDA:4,0,1,1", "BRF:4", "BRH:3", "LF:12", "LH:10",
      "SF:./shop.lua",
    ] {
      #expect(lcov.contains("\(line)\n"), "\(line) in \(lcov)")
    }
    #expect(try program.run("test", "--coverage=html").status == 0)
    let page = try String(contentsOf: program.folder.appending(path: "coverage.html"), encoding: .utf8)
    #expect(
      page.contains("never to line 5") && page.contains("not run") && !page.contains("http:")
        && !page.contains("https:"))
  }

  @Test("--list, --only and --fail-fast choose tests")
  func choice() throws {
    let program = try Program()
    try program.write(
      "a_test.lua",
      "describe('sums', function()\n it('one', function() error 'no' end)\n it('two', function() end)\nend)\nit('one more', function() end)"
    )
    let list = try program.run("test", "--list")
    #expect(list.output == "a_test.lua:2: sums › one\na_test.lua:3: sums › two\na_test.lua:5: one more\n", "\(list)")
    #expect(try program.run("test", "--only", "two").output.contains("1 passed in"))
    #expect(try program.run("test", "--only", "sums › two").status == 0)
    let wrong = try program.run("test", "--only", "tow")
    #expect(wrong.status == 2 && wrong.errors.contains("none of the 3 tests has the name 'tow'"), "\(wrong)")
    #expect(try program.run("test", "--fail-fast").output.contains("1 failed, 2 not run"))
  }
}
