import CommandLineSupport
import Foundation
import Testing

@Suite("What tests expect")
struct ExpectationTests {
  /// Returns the failure that is reported for a test file with this one test; nil if the test passed.
  private func failure(_ test: String) throws -> String? {
    let program = try Program()
    try program.write("one_test.lua", "it('one', function()\n\(test)\nend)")
    let result = try program.run("test")
    guard result.status == 1 else { return nil }
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("  one_test.lua:") })
    return lines[(start + 1)...].prefix { !$0.isEmpty }.map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  @Test(arguments: [
    "expect({ 1, { a = 'x' } }).to_equal { 1, { a = 'x' } }", "expect(2).to_equal(2.0)", "expect(0/0).to_equal(0/0)",
    "local a, b = {}, {} a.x, b.x = a, b expect(a).to_equal(b)", "expect(2).never.to_equal(3)",
    "local t = {} expect(t).to_be(t) expect(t).never.to_be({})",
    "expect(nil).to_be_nil() expect(false).never.to_be_nil()",
    "expect(0).to_be_truthy() expect(nil).to_be_falsy()", "expect('x').to_be_a 'string'",
    "expect(tenant.sign_in()).to_be_a 'account'", "expect(0.1 + 0.2).to_be_near(0.3)",
    "expect({ 1, 2 }).to_have_length(2)",
    "expect('abc').to_have_length(3)",
    "expect({ id = 1, claims = { name = 'A', x = 1 } }).to_have { claims = { name = 'A' } }",
    "expect(tenant.sign_in()).to_have { name = 'Alice Liddell' }", "expect('a.b').to_contain '.'",
    "expect({ { id = 1, text = 'a' }, 3 }).to_contain { text = 'a' }", "expect('x12').to_match '%d+$'",
    "expect(function() error 'boom' end).to_raise 'bo+m'",
    "expect(function() b2c.tasks.list() end).to_raise 'no_account'",
    "expect(function() b2c.tasks.list() end).to_raise { code = 'no_account', retryable = false }",
    "expect(function() error {} end).to_raise()", "expect(function() b2c.async.sleep(0) end).never.to_raise()",
    "expect(2):to_equal(2)",
  ])
  func holds(test: String) throws {
    #expect(try failure(test) == nil)
  }

  @Test(arguments: [
    ("expect(2).to_equal(3)", "expected  3\ngot       2"),
    ("expect(2).never.to_equal(2)", "expected  anything but 2\ngot       2"),
    ("expect(nil).to_be_truthy()", "expected  a true value\ngot       nil"),
    ("expect('abc').to_match '^b'", "expected  a text that matches \"^b\"\ngot       \"abc\""),
    ("expect('x').to_have_length(2)", "expected  a length of 2\ngot       1: \"x\""),
    ("expect({ 1 }).to_contain(2)", "expected  a list with 2 in it\ngot       { 1 }"),
    ("expect(function() end).to_raise 'x'", "expected  the error \"x\"\ngot       none"),
    (
      "expect(function() error 'boom' end).to_raise 'bang'",
      "expected  the error \"bang\"\ngot       one_test.lua:2: boom"
    ),
    (
      "expect { a = 1, list = { 1, { text = 'Milk' } }, x = 5 }.to_equal { a = 1, list = { 1, { text = 'milk' }, 3 } }",
      """
      expected  { a = 1, list = { 1, { text = "milk" }, 3 } }
      got       { a = 1, list = { 1, { text = "Milk" } }, x = 5 }
      differs at
        .list[2].text: expected "milk", got "Milk"
        .list[3]: expected 3, got nothing
        .x: expected nothing, got 5
      """
    ),
    (
      "expect(('a'):rep(100) .. 'x').to_have_length(1)",
      "expected  a length of 1\ngot       101: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" … 101 bytes"
    ),
    (
      "expect({ name = 'A', ['a b'] = 1 }).to_have { ['a b'] = 2 }",
      """
      expected  something with { ["a b"] = 2 }
      got       { ["a b"] = 1, name = "A" }
      differs at
        ["a b"]: expected 2, got 1
      """
    ),
    (
      "expect(2).to_eqaul(2)",
      "unknown_matcher: there is no expect(…).to_eqaul\nhint: did you mean 'to_equal'?"
    ),
    (
      "expect('x').to_raise 'y'",
      "invalid_argument: expectation.to_raise: expected a function, got string\n"
        + "hint: put the call into one: expect(function() … end).to_raise(…)"
    ),
    (
      "expect('x').to_have_length 'y'",
      "invalid_argument: expectation.to_have_length: argument 1: expected an integer, got string"
    ),
  ])
  func fails(test: String, message: String) throws {
    #expect(try failure(test) == message)
  }

  @Test("every function of tests is on the page about them")
  func documentation() throws {
    let page = Program.project.appending(path: "Sources/b2c-run/Documentation.docc/Testing.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let matchers = try #require(try failure("expect(1).to_nonsense_whatever()")).split(separator: "there are ").last
    for name in matchers?.split(separator: ", ") ?? [] { #expect(text.contains("`.\(name)"), "\(name)") }
  }
}
