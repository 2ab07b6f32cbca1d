import CommandLineSupport
import Foundation
import Testing

@Suite("A session on a terminal")
struct SessionTests {
  /// Returns the session's output for lines typed one after the other, without the lines themselves.
  private func answers(_ lines: [String], _ options: [String] = ["--local"]) throws -> String {
    let session = try TerminalSession(Program(), options + ["--quiet"])
    for line in lines {
      try session.expect("> ")
      session.type(line + "\n")
    }
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
    return session.screen
  }

  @Test(
    "shows what an expression is, without return",
    arguments: [
      ("1 + 1", "2"), ("7 / 2, 'a\\n\"b\"'", "3.5\r\n\"a\\n\\\"b\\\"\""), ("nil", "nil"),
      ("2^53", "9007199254740992.0"),
      ("{ 3, { b = 1, a = 'x', ['a b'] = true } }", "{ 3, { a = \"x\", [\"a b\"] = true, b = 1 } }"),
      ("(function() local t = {} t.self = t return t end)()", "{ self = { the table above } }"),
      ("tasks.add", "function tasks.add(task, options?)"), ("json.null", "null"),
      ("'\\27[2J\\u{202E}'", "\"\\u{1B}[2J\\u{202E}\""), ("'\\xff'", "\"\\xff\""),
      ("tenant.sign_in():token()", "[secret]"), ("print('x')", "x"), ("io.write 'x' return 1", "x\r\n1"),
      ("async.sleep(0.001) or 'slept'", "\"slept\""),
    ])
  func expressions(line: String, answer: String) throws {
    let screen = try answers([line])
    #expect(screen.contains("\r\n\(answer)\r\n"), "\(screen)")
  }

  @Test("what is long takes several lines, and what is very long is cut")
  func long() throws {
    let screen = try answers([
      "b = { name = ('x'):rep(70), list = { 1, 2 } }", "b",
      "(function() local t = {} for i = 1, 1000 do t[i] = i end return t end)()",
    ])
    #expect(screen.contains("\r\n{\r\n  list = { 1, 2 },\r\n  name = \"xxxxx"), "\(screen)")
    #expect(screen.contains("  … 900 more\r\n}\r\n"), "\(screen)")
  }

  @Test("variables stay, _ is the last result, a chunk may have several lines, calls wait by themselves")
  func lines() throws {
    let screen = try answers([
      "function twice(x)", "return 2 * x", "end", "twice(21)", "_ + 1", "account = tenant.sign_in()",
      "tasks.add 'Buy milk'",
      "_.text", "#tasks.list()", "local x = 1", "x",
    ])
    #expect(screen.contains(">> return 2 * x"), "\(screen)")
    for answer in ["42", "43", "\"Buy milk\"", "1", "nil"] {
      #expect(screen.contains("\r\n\(answer)\r\n"), "\(answer): \(screen)")
    }
    #expect(screen.contains("a local variable ends with its line; without local it stays\r\n"))
  }

  @Test(arguments: [
    ("tasks.list { acount = 1 }", "error: tasks.list: unknown option 'acount'\r\n  hint: did you mean 'account'?\r\n"),
    ("x = = 1", "error: unexpected symbol near '='\r\n"),
    ("error { code = 'x', message = 'so', hint = 'do' }", "error: so\r\n  hint: do\r\n"),
    ("tasks.x.y", "error: attempt to index a nil value (field 'x')\r\n"),
    ("help(tasks.ad)", "error: no help on nil: nothing has that name\r\n"),
    ("help 'tasks.ad'", "error: no help on 'tasks.ad'\r\n  hint: did you mean 'tasks.add'?\r\n"),
  ])
  func errors(line: String, message: String) throws {
    let screen = try answers([line])
    #expect(screen.contains(message), "\(screen)")
  }

  @Test(
    "help of a function, a module, an object, and by name",
    arguments: [
      ("help(tasks.add)", "tasks.add(task, options?)"), ("help tasks.add", "tasks.add(task, options?)"),
      ("help(tasks)", "tasks.import(source, options?)"), ("help(tenant.sign_in())", "account:token()"),
      ("help 'account'", "account:token()"), ("help()", "Ctrl-D ends"),
    ])
  func help(line: String, text: String) throws {
    let screen = try answers([line])
    #expect(screen.contains(text), "\(screen)")
  }

  @Test("a prompt has a line of its own, also behind what does not end one")
  func partialLine() throws {
    #expect(try answers(["do io.write 'half' end"]).contains("\r\nhalf\r\n> "))
  }

  @Test(
    "Tab completes globals, the API, fields, methods and options",
    arguments: [
      ("tas\t.im\t", "tasks.import"), ("b2c.accounts.cur\t", "b2c.accounts.current"), ("func\t", "function"),
      ("t = { alpha = 1 } t.al\t", "t.alpha"), ("('x'):re\t", "('x'):re"), ("tasks.import('f', { dry\t", "dry_run = "),
      ("tasks.import { map = f, conc\t", "concurrency = "), ("tenant.users.a\t", "tenant.users.add"),
      ("accounts.sign_in { agent = 'hea\t", "agent = 'headless'"),
      ("tasks.export('-', {format=\"tas\t", "\"taskwarrior\""),
      ("\"tas\t", "\"tas"), ("-- tas\t", "-- tas"),
    ])
  func completion(keys: String, line: String) throws {
    let session = try TerminalSession(Program(), ["--local", "--quiet"])
    try session.expect("> ")
    session.type("t = { alpha = 1 }\n")
    try session.expect("> ")
    // The # typed afterwards shows that the session has handled the Tab.
    session.type("\(keys)#")
    try session.see("\(line)#") { $0.lines.last { !$0.isEmpty }?.hasSuffix("\(line)#") == true }
    session.type("\u{3}")
    try session.expect("^C\r\n> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
  }

  @Test("two Tabs list what there is, below the line")
  func choices() throws {
    let session = try TerminalSession(Program(), ["--local", "--quiet"])
    try session.expect("> ")
    session.type("tenant.users.\t")
    try session.expect("add     remove\r\n")
    try session.expect("> tenant.users.")
    session.type("\u{3}")
    try session.expect("> ")
    session.type("account = tenant.sign_in()\n")
    try session.expect("> ")
    session.type("account:\t")
    try session.expect("request")
    try session.expect("account:")
    session.type("\u{3}")
    try session.expect("^C\r\n")
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
  }

  @Test(
    "Ctrl-C ends the call, not the session",
    arguments: ["while true do end", "async.sleep(1000)", "while true do pcall(async.sleep, 1000) end"])
  func interrupt(line: String) throws {
    let session = try TerminalSession(Program(), ["--local", "--quiet"])
    try session.expect("> ")
    session.type(
      "local _ <close> = setmetatable({}, { __close = function() print 'closed' end }) print 'on' io.stdout:flush() \(line)\n"
    )
    try session.expect("\r\non\r\n")
    session.type("\u{3}")
    try session.expect("closed")
    try session.expect("interrupted")
    try session.expect("> ")
    session.type("6 * 7\n")
    try session.expect("\r\n42\r\n")
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
  }

  @Test("Ctrl-C at the prompt clears the line, and what was begun; the next call is not touched")
  func clear() throws {
    let session = try TerminalSession(Program(), ["--local", "--quiet"])
    try session.expect("> ")
    session.type("nonsense(\u{3}")
    try session.expect("^C\r\n")
    try session.expect("> ")
    session.type("f = function(\n")
    try session.expect(">> ")
    session.type("\u{3}")
    try session.expect("^C\r\n")
    try session.expect("> ")
    session.type("for i = 1, 1000 do x = i end return x\n")
    try session.expect("\r\n1000\r\n")
    session.type("exit\n")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("error"), "\(session.screen)")
  }

  @Test("each call has the time of --timeout")
  func timeout() throws {
    let screen = try answers(["while true do end", "1 + 1"], ["--local", "--timeout", "0.2"])
    #expect(screen.contains("error: not done after 0.2 s\r\n"), "\(screen)")
    #expect(screen.contains("\r\n2\r\n"))
  }

  @Test("the history is the person's alone, holds no secret, and is there the next time")
  func history() throws {
    let program = try Program()
    let first = try TerminalSession(program, ["--local", "--quiet"])
    try first.expect("> ")
    first.type("tenant.users.add { username = 'carol', password = 'Looking-Glass-9' }\n")
    try first.expect("> ")
    first.type("answer = 6 * 7\n")
    try first.expect("> ")
    first.type("\u{4}")
    #expect(first.end() == 0)
    let path = program.folder.appending(path: ".local/state/b2c-run/history").path
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == "tenant.users.add { username = 'carol', password = '[secret]' }\nanswer = 6 * 7\n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let second = try TerminalSession(program, ["--local", "--quiet"])
    try second.expect("> ")
    second.type("\u{1B}[A")
    try second.expect("answer = 6 * 7")
    second.type(" return answer\n")
    try second.expect("\r\n42\r\n")
    try second.expect("> ")
    second.type("\u{4}")
    #expect(second.end() == 0)
  }

  @Test("greets, with the local tenant, and asks within a call")
  func greeting() throws {
    let session = try TerminalSession(Program(), ["--local"])
    try session.expect("help() explains; Ctrl-D ends.")
    try session.expect("Local tenant at http://127.0.0.1:")
    try session.expect("> ")
    session.type("term.prompt 'Name'\n")
    try session.expect("Name: ")
    session.type("Zoë\n")
    try session.expect("\"Zoë\"\r\n")
    session.type("'Zoë'\n")
    try session.expect("\"Zoë\"\r\n")
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
  }

  @Test("without a terminal it is wrong use, as it was")
  func noTerminal() throws {
    let result = try Program().run("--local")
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("b2c-run: nothing to run\n"))
  }
}
