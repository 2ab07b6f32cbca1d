import CommandLineSupport
import Foundation
import HTTPServer
import Testing

@Suite("A task API that does not do what was asked")
struct BadTaskAPITests {
  /// `answer` are the fields of `tenant.fault`; URL stands for the tenant's address in `message`.
  struct Case: Sendable {
    var answer: String
    var call = "tasks.add('Buy milk')"
    var message: String
  }

  static let cases: [Case] = [
    Case(
      answer: "status = 401, times = 2",
      message: """
        POST URL/api/tasks was answered 401 (the token is not accepted): fault: status 401, as a fault of the local tenant asked for
          hint: sign in again; the token must be for this API: its client ID, its directory
        """),
    Case(
      answer: "status = 403, headers = { ['WWW-Authenticate'] = 'Bearer error=\"insufficient_scope\"' }, body = ''",
      message: """
        POST URL/api/tasks was answered 403 (not allowed): insufficient_scope
          hint: the token may lack a scope: see scopes, which the local tenant does not set
        """),
    Case(
      answer: "status = 404, body = ''", call: "tasks.list()",
      message: """
        GET URL/api/tasks was answered 404 (not found)
          hint: see taskAPI (the local tenant)
        """),
    Case(
      answer: #"status = 409, body = '{"code":"MissingTask","message":"Text is a required parameter"}'"#,
      message: "POST URL/api/tasks was answered 409 (conflict): MissingTask: Text is a required parameter"),
    Case(
      answer: "status = 415, body = ''",
      message: """
        POST URL/api/tasks was answered 415 (content type not accepted)
          hint: contentType (the local tenant) is application/x-www-form-urlencoded, set another
        """),
    Case(
      answer: "status = 429, headers = { ['Retry-After'] = '7' }, body = ''",
      message: """
        POST URL/api/tasks was answered 429 (too many requests)
          hint: try again in 7 s
        """),
    Case(
      answer: "status = 500, body = '{\"Message\":\"An error has occurred.\",\"ExceptionMessage\":\"no disk\"}'",
      message: """
        POST URL/api/tasks was answered 500 (server error): An error has occurred.
          hint: try again later
        """),
    Case(
      answer: "status = 200, body = '<html>Welcome!</html>', headers = { ['Content-Type'] = 'text/html' }",
      call: "tasks.list()",
      message: """
        GET URL/api/tasks was answered 200 with text/html, expected a list of tasks in JSON: it begins "<html>Welcome!</html>"
          hint: is taskAPI (the local tenant) the address of the task API?
        """),
    Case(
      answer: "status = 200, body = '[{\"Id\":1'", call: "tasks.list()",
      message: """
        GET URL/api/tasks was answered 200 with application/json; charset=utf-8, expected a list of tasks in JSON: it begins "[{"Id":1"
          hint: is taskAPI (the local tenant) the address of the task API?
        """),
    Case(
      answer: "drop = 'before'", message: "the connection of POST to AUTHORITY was lost before an answer"),
  ]

  @Test(arguments: cases)
  func wrong(example: Case) throws {
    let program = try Program()
    try program.write(
      "tasks.lua",
      """
      local b2c = require "b2c"
      local tasks, tenant = b2c.tasks, b2c.tenant
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      tenant.fault { path = "/api/tasks", \(example.answer) }
      print(tenant.url)
      \(example.call)
      """)
    let result = try program.run("--local", "tasks.lua")
    let url = result.output.split(separator: "\n").first.map(String.init) ?? ""
    let message = example.message.replacing("URL", with: url).replacing("AUTHORITY", with: url.dropFirst(7))
    #expect(result.status == 1)
    #expect(result.output == "\(url)\n")
    #expect(result.errors == "b2c-run: tasks.lua:6: \(message)\n")
  }

  @Test("nobody is signed in")
  func nobody() throws {
    let result = try Program().run("--local", "-e", "b2c.tasks.list()")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: tasks.list: nobody is signed in
          hint: with --local, a script signs in one of the tenant's users: tenant.sign_in()

        """)
  }

  @Test(arguments: [
    (
      "http://127.0.0.1:1/", "cannot connect to 127.0.0.1:1 (connection refused)",
      "check the address and its port, and whether the server runs"
    ),
    (
      "http://nowhere.invalid/", "cannot connect to nowhere.invalid:80 (no such host)",
      "check the name of the host, and this machine's network"
    ),
    (
      "ftp://127.0.0.1/", "\"ftp://127.0.0.1/\" is not an http or https address",
      "write it in full, like https://example.com/path"
    ),
  ])
  func unreachable(url: String, message: String, hint: String) throws {
    let result = try Program().run("--allow-net", "-e", "b2c.http.get('\(url)')", "--set", "clientID=app")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors == "b2c-run: (command line):1: \(message)\n  hint: \(hint)\n")
  }

  @Test("a certificate nobody vouches for, and --cacert")
  func certificate() throws {
    let identity = try TLSIdentity.selfSigned()
    let server = try HTTPServer(tls: identity) { _ in ServerResponse(text: "hello", type: "text/plain") }
    defer { server.stop() }
    let program = try Program()
    try program.write("ca.pem", identity.certificate)
    try program.write("empty.pem", "nothing\n")
    let script = "print(b2c.http.get('https://127.0.0.1:\(server.port)/').body)"

    let untrusted = try program.run("--allow-net=127.0.0.1", "--set", "clientID=app", "-e", script)
    #expect(untrusted.status == 1)
    #expect(untrusted.output == "")
    #expect(
      untrusted.errors == """
        b2c-run: (command line):1: the certificate of 127.0.0.1:\(server.port) is not trusted (self-signed certificate)
          hint: give the certificate of its issuer with --cacert FILE, or in a file that SSL_CERT_FILE names

        """)

    #expect(
      try program.run("--allow-net=127.0.0.1", "--cacert", "ca.pem", "--set", "clientID=app", "-e", script).output
        == "hello\n")

    let empty = try program.run(
      "--allow-net=127.0.0.1", "--cacert", "empty.pem", "--set", "clientID=app", "-e", script)
    #expect(empty.status == 1)
    #expect(
      empty.errors == """
        b2c-run: (command line):1: "empty.pem" holds no certificates
          hint: --cacert takes a file of PEM certificates

        """)

    let missing = try program.run("--cacert", "nowhere.pem", "-e", script)
    #expect(missing.status == 2)
    #expect(missing.errors == "b2c-run: --cacert: cannot read nowhere.pem: No such file or directory\n")
  }
}
