import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run test")
struct TestCommandTests {
  private static let mixed = """
    describe("sums", function()
      it("are right", function() expect(1 + 1).to_equal(2) end)
      it("are wrong", function()
        print "adding"
        expect(1 + 1).to_equal(3)
      end)
      pending("are fast")
    end)

    """

  @Test("runs what it finds, shows what failed with its line, and ends with status 1")
  func mixed() throws {
    let program = try Program()
    try program.write("sums_test.lua", Self.mixed)
    let result = try program.run("test")
    #expect(result.status == 1)
    #expect(result.errors == "")
    let output = result.output.replacing(#/\d+ ms/#, with: "N ms")
    #expect(
      output == """
        sums_test.lua
          ✓ sums › are right  N ms
          ✗ sums › are wrong  N ms
          – sums › are fast  pending

        ✗ sums › are wrong
          sums_test.lua:5:  expect(1 + 1).to_equal(3)
            expected  3
            got       2
            printed
              adding

        1 passed, 1 failed, 1 pending in N ms

        """)
  }

  @Test("each test has a fresh state and a fresh tenant, and the file's hooks around it")
  func fresh() throws {
    let program = try Program()
    try program.write("steps.lua", "count = (count or 0) + 1 return count")
    try program.write(
      "fresh_test.lua",
      """
      local b2c = require "b2c"
      before_each(function() order = { "file" } end)
      after_each(function() print(table.concat(order, " ")) end)
      describe("state", function()
        before_each(function() order[#order + 1] = "inner" end)
        after_each(function() order[#order + 1] = "after" end)
        for round = 1, 2 do
          it("is new in round " .. round, function()
            expect(require "steps").to_be(1)
            expect(#b2c.tenant.requests()).to_equal(0)
            tenant.sign_in()
            b2c.tasks.add "Buy milk"
            expect(tenant.tasks("alice")).to_have_length(1)
            b2c.async.sleep(0.001)
            expect(order).to_equal { "file", "inner" }
          end)
        end
        it("shows the order", function() error "stop" end)
      end)
      """)
    let result = try program.run("test", "fresh_test.lua")
    #expect(result.output.contains("2 passed, 1 failed"), "\(result)")
    #expect(result.output.contains("    printed\n      file inner after\n"), "\(result)")
  }

  @Test(
    "a failure shows the requests, log lines in their order with what was printed, and the way from the test's file")
  func failure() throws {
    let program = try Program()
    try program.write("add.lua", "local b2c = require 'b2c'\nreturn function() b2c.tasks.add 'Buy milk' end\n")
    try program.write(
      "add_test.lua",
      """
      local add = require "add"
      it("adds", function()
        tenant.sign_in()
        print "before"
        b2c.log.warn "careful"
        tenant.fault { path = "/api/tasks", status = 400 }
        add()
      end)
      """)
    let output = try program.run("test", "--quiet").output
    #expect(output.contains("  add.lua:2:  return function() b2c.tasks.add 'Buy milk' end\n"), "\(output)")
    #expect(output.contains("  add_test.lua:7:  called it\n"), "\(output)")
    #expect(output.contains("\n    bad_request: POST http://127.0.0.1:"), "\(output)")
    #expect(output.contains("\n      400 POST /api/tasks\n"), "\(output)")
    #expect(output.contains("      before\n      warn  careful\n"), "\(output)")
  }

  @Test("a test that computes or waits too long fails alone")
  func time() throws {
    let program = try Program()
    try program.write(
      "slow_test.lua",
      """
      it("computes", function() while true do end end)
      it("waits", function() b2c.async.sleep(600) end)
      it("passes", function() end)
      """)
    let output = try program.run("test", "--timeout", "0.5").output
    #expect(output.contains("1 passed, 2 failed"), "\(output)")
    #expect(
      output.contains(
        """
          slow_test.lua:1
            timeout: not done after 0.5 s
            hint: --timeout SECONDS gives more time
        """), "\(output)")
  }

  @Test("a test or a file that ends the process fails with the signal, and all others are run")
  func endedProcess() throws {
    let program = try Program()
    let die = "io.popen('kill -KILL $PPID'):close() b2c.async.sleep(60)"
    try program.write(
      "a_test.lua", "it('passes', function() end)\nit('dies', function() \(die) end)\nit('goes on', function() end)")
    try program.write("b_test.lua", "local b2c = require 'b2c'\n\(die)")
    try program.write("c_test.lua", "it('is there', function() print(io.read()) error 'shown' end)")
    let result = try program.run("--allow-all", "test", input: "a line\n")
    #expect(result.status == 1)
    for text in [
      "✓ passes", "✗ dies", "✓ goes on",
      "  a_test.lua:2\n    process_ended: the test ended its process by signal 9 (Killed)",
      "✗ the file itself\n    process_ended: the file ended its process by signal 9", "      a line\n",
      "2 passed, 3 failed",
    ] { #expect(result.output.contains(text), "\(result)") }
  }

  @Test("Ctrl-C ends the run, which says what was not run")
  func interrupt() throws {
    let program = try Program()
    try program.write(
      "slow_test.lua",
      "it('passes', function() end) it('waits', function() b2c.async.sleep(600) end) it('is left', function() end)")
    let session = try TerminalSession(program, ["test"])
    try session.expect("✓ passes")
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(session.screen.contains("1 passed, 2 not run in "), "\(session.screen)")
  }

  @Test("a token does not show, be it expected or printed")
  func secret() throws {
    let program = try Program()
    try program.write(
      "secret_test.lua",
      """
      it("keeps it", function()
        local account = tenant.sign_in()
        print(account:token():reveal())
        expect({ token = account:token():reveal(), secret = account:token() }).to_equal "none"
      end)
      """)
    for report in [[], ["--report", "junit"], ["--report", "tap"]] {
      let result = try program.run(list: ["test"] + report)
      #expect(result.status == 1)
      #expect(!"\(result)".contains("eyJ"), "\(result)")
      #expect(result.output.contains("[secret]"))
    }
  }

  @Test("files are found in folders and theirs, sorted, without what is hidden")
  func finding() throws {
    let program = try Program()
    for name in ["b_test.lua", "a_test.lua", "in/c_test.lua", ".hidden/d_test.lua", "in/.e_test.lua", "helper.lua"] {
      try program.write(name, "it('\(name)', function() end)")
    }
    let lines = try program.run("test").output.split(separator: "\n").filter { $0.hasSuffix(".lua") }
    #expect(lines == ["a_test.lua", "b_test.lua", "in/c_test.lua"])
    #expect(try program.run("test", "in", "helper.lua").output.contains("2 passed"))
  }

  @Test("a file that cannot be loaded is a failure; the others are run")
  func broken() throws {
    let program = try Program()
    try program.write("a_test.lua", "it('a', function( end)")
    try program.write("b_test.lua", "it('b', function() end)")
    let result = try program.run("test")
    #expect(result.status == 1)
    #expect(result.output.contains("✗ the file itself\n  a_test.lua:1:  it('a', function( end)\n"), "\(result)")
    #expect(result.output.contains("1 passed, 1 failed"))
  }

  @Test("a test cannot end the run, nor declare others")
  func misuse() throws {
    let program = try Program()
    try program.write(
      "misuse_test.lua",
      """
      it("ends", function() os.exit(0) end)
      it("declares", function() describe("more", function() end) end)
      """)
    let output = try program.run("test").output
    #expect(output.contains("    exit: os.exit(0) was called, which would have ended the tests\n"), "\(output)")
    #expect(output.contains("    test_running: describe is called by a test that runs\n"), "\(output)")
  }

  @Test("scripts that a test loads do not see what is there for tests")
  func globals() throws {
    let program = try Program()
    try program.write("plain.lua", "return { it, tenant, b2c, expect }")
    try program.write("plain_test.lua", "it('is alone', function() expect(require 'plain').to_equal {} end)")
    #expect(try program.run("test").status == 0)
  }

  @Test(arguments: [
    (["test"], "b2c-run: test: no tests: there is no file *_test.lua in this folder\n"),
    (["test", "nowhere"], "b2c-run: test: there is no file or folder 'nowhere'\n"),
    (["test", "empty.lua"], "b2c-run: test: no tests: the files declare none\n"),
    (["test", "--filter", "zebra", "one.lua"], "b2c-run: test: none of the 1 tests has 'zebra' in its name\n"),
    (["test", "--report", "html"], "b2c-run: --report: expected one of junit, tap, got 'html'\n"),
  ])
  func wrongUse(arguments: [String], message: String) throws {
    let program = try Program()
    try program.write("empty.lua", "")
    try program.write("one.lua", "it('one', function() end)")
    let result = try program.run(list: arguments)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix(message), "\(result)")
  }

  @Test("--filter looks at whole names, in any case")
  func filter() throws {
    let program = try Program()
    try program.write("sums_test.lua", Self.mixed)
    #expect(try program.run("test", "--filter", "Sums Are Right").output.contains("1 passed in "))
  }

  @Test("test.run runs a script with arguments in a state of its own, with the tenant and accounts of the test")
  func testedScript() throws {
    let program = try Program()
    try program.write(
      "w.lua",
      """
      local b2c = require "b2c"
      local options = b2c.term.options { summary = "x", positions = { { "TEXT", "t" } } }
      b2c.log.info "adding"
      mine = "w"
      print("added", b2c.tasks.add(options[1]).text)
      if options[1] == "exit" then os.exit(7) end
      if options[1] == "fail" then error "bad" end
      """)
    try program.write(
      "w_test.lua",
      """
      before_each(function() tenant.sign_in() end)
      it("runs", function()
        print "before"
        expect(test.run("w.lua", { "Milk" })).to_have { status = 0, output = "added\\tMilk\\n", log = "info  adding\\n" }
        expect(_G.mine).to_be_nil()
        expect(tenant.tasks "alice").to_have_length(1)
        expect(test.run("w.lua", { "exit" }).status).to_equal(7)
        expect(test.run("w.lua", { "fail" })).to_have { status = 1, error = { message = "bad", where = "w.lua:7" } }
        expect(test.run("w.lua")).to_have { status = 2, output = "" }
        expect(function() test.run "/etc/hostname" end).to_raise "permission_denied"
        io.stdout:write "after"
        error "shown"
      end)
      """)
    let result = try program.run("--no-prompt", "test", "w_test.lua")
    #expect(result.status == 1)
    #expect(result.output.contains("shown") && result.output.contains("before"), "\(result)")
    #expect(result.output.contains("\n      before\n      after\n"), "\(result)")
    #expect(try program.run("check", "w_test.lua").status == 0)
  }
}
