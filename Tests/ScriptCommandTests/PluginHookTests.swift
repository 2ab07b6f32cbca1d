import CommandLineSupport
import Foundation
import Testing

@Suite("Hooks of plugins")
struct PluginHookTests {
  private func program(_ plugins: [String: String]) throws -> Program {
    let program = try Program(flags: ["--trust-plugins"])
    for (name, text) in plugins { try program.write("plugins/\(name).lua", text) }
    return program
  }

  @Test("the hooks of all plugins are called in the plugins' order, and may wait")
  func order() throws {
    func plugin(_ name: String) -> String {
      """
      local async = require "b2c.async"
      return { hooks = {
        on_changed = function(change) async.sleep(0) print("\(name)", change.kind, change.reason, change.account.name) end,
        before_request = function(request)
          if request.url:find "tasks" and request.method == "POST" then print("\(name)", "before", request.method) end
        end,
        after_response = function(request, response)
          if request.url:find "tasks" and request.method == "POST" then print("\(name)", "after", request.method, response.status) end
        end,
        after_import = function(report) print("\(name)", report.source, report.ending, report.added, report.account) end,
      } }
      """
    }
    let program = try program(["a": plugin("a"), "b": plugin("b")])
    try program.write("list.txt", "Milk\n")
    let result = try program.run("--quiet", "--local", "import", "list.txt")
    let lines = result.output.split(separator: "\n").prefix { !$0.hasPrefix("list.txt:") }
    #expect(
      lines.joined(separator: "\n") == """
        a	added	sign_in	Alice Liddell
        b	added	sign_in	Alice Liddell
        a	before	POST
        b	before	POST
        a	after	POST	201
        b	after	POST	201
        a	list.txt	finished	1	Alice Liddell
        b	list.txt	finished	1	Alice Liddell
        """, "\(result)")
  }

  @Test("a hook sees no secret, whatever is sent and answered, and cannot reveal or pass on what it sees")
  func secrecy() throws {
    let program = try program([
      "spy": """
      local json, http = require "b2c.json", require "b2c.http"
      local function show(value)
        if type(value) ~= "table" then return print(value) end
        for key, inner in pairs(value) do print(key) show(inner) end
      end
      return { hooks = {
        before_request = function(request)
          show(request)
          local token = request.headers.authorization
          if not token then return end
          print(pcall(function() return token:reveal() end))
          print(pcall(http.post, request.url, { headers = { ["X-Stolen"] = token }, raise = false }))
          print(pcall(json.encode, { token }))
          return { authorization = token }
        end,
        after_response = function(request, response) show(request) show(response) end,
      } }
      """
    ])
    let script = """
      local alice = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      tasks.add "Milk"
      alice:refresh()
      local file = io.open("secrets", "w")
      file:write(alice:token():reveal(), "\\n", alice:id_token():reveal(), "\\n")
      """
    let result = try program.run("--quiet", "--local", "--allow-write=secrets", "-e", script)
    #expect(result.status == 0, "\(result)")
    let kept = try String(contentsOf: program.folder.appending(path: "secrets"), encoding: .utf8)
    let search = SecretSearch(kept.split(separator: "\n").map(String.init) + ["Wonderland-1"])
    #expect(search.finds(in: result) == [])
    #expect(result.output.contains("authorization\n[secret]\n"))
    #expect(result.output.contains("expected a string, got sealed secret"))
    // The code, in the redirect that the headless agent follows.
    #expect(result.output.contains("code=[secret]"), "\(result.output)")
    #expect(result.output.matches(of: #/[?&]code=(?!\[secret\])/#).isEmpty)
  }

  @Test("what before_request returns is sent; where a request goes, and its token, is not a hook's to change")
  func headers() throws {
    let server = try TaskServer()
    let program = try program([
      "good":
        "return { hooks = { before_request = function(r) return { ['X-Trace'] = 7, ['user-agent'] = false } end } }",
      "host": "return { hooks = { before_request = function(r) return { Host = 'evil.example' } end } }",
      "token": "return { hooks = { before_request = function(r) return { Authorization = 'mine' } end } }",
      "zlines": "return { hooks = { before_request = function(r) return { x = 'a\\r\\nb: c' } end } }",
      "last": """
      return { hooks = { before_request = function(r)
        if r.url:find "tasks" then print(r.headers["x-trace"], r.headers.authorization) end
      end } }
      """,
    ])
    let result = try program.run(
      "--local", "--quiet", "--set", "taskAPI=\(server.url)", "-e",
      "accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1' } tasks.add 'Milk'")
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "7\t[secret]\n")
    #expect(server.texts == ["Milk"])
    let errors = result.errors.split(separator: "\n")
    #expect(
      errors.contains {
        $0.hasPrefix(
          "error before_request of the plugin host failed: it returned Host, which says where or how a request is sent")
      }, "\(result)")
    #expect(
      errors.contains {
        $0.hasPrefix(
          "error before_request of the plugin token failed: it returned another Authorization, which holds a")
      })
    #expect(errors.contains { $0.contains("plugin zlines failed: the value of the header field x holds a line break") })
    // Each is said once, and after five failures in a row no more is heard of it.
    #expect(errors.filter { $0.contains("plugin host failed: ") }.count == 1)
    #expect(
      errors.contains("warn  before_request of the plugin host failed 5 times in a row, and is not called any more"))
  }

  @Test("an error in a hook is logged with its plugin and line, and others go on")
  func errors() throws {
    let program = try program([
      "bad": "return { hooks = {\n  on_changed = function(change) error 'oh' end,\n} }",
      "worse": "return { hooks = { on_changed = function() io.open('/etc/hosts') end } }",
      "good": "return { hooks = { on_changed = function(change) print(change.kind) end } }",
    ])
    let result = try program.run(
      "--local", "--no-prompt", "-e",
      """
      local alice = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      for i = 1, 6 do
        alice.data.count = i
        alice:save()
      end
      """)
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "added\n" + String(repeating: "updated\n", count: 6))
    #expect(
      result.errors == """
        error on_changed of the plugin bad failed: plugins/bad.lua:2: oh
        error on_changed of the plugin worse failed: plugins/worse.lua:1: io.open: needs permission to read /etc/hosts; \
        run with --allow-read=/etc/hosts
        warn  on_changed of the plugin bad failed 5 times in a row, and is not called any more
        warn  on_changed of the plugin worse failed 5 times in a row, and is not called any more

        """)
  }

  @Test("on_failed may say how the sign-in goes on")
  func onFailed() throws {
    let program = try program([
      "retry": """
      return { hooks = { on_failed = function(failure)
        print(failure.error.code, failure.attempt)
        return { password = "Wonderland-1" }
      end } }
      """
    ])
    let result = try program.run(
      "--local", "--quiet", "-e",
      "print(accounts.sign_in { agent = 'headless', username = 'alice', password = 'forgotten' }.name)")
    #expect(result.output == "AADB2C90225\t1\nAlice Liddell\n", "\(result)")
  }

  @Test("requests of a hook call no hooks")
  func nested() throws {
    let program = try program([
      "asks": """
      local b2c = require "b2c"
      local count = 0
      return { hooks = { after_response = function(request, response)
        count = count + 1
        if request.url:find "api/tasks" then print(#b2c.tasks.list(), count) end
      end } }
      """
    ])
    let result = try program.run("--local", "--quiet", "-e", "tenant.sign_in() tasks.add 'Milk' tasks.add 'Eggs'")
    let counts = result.output.split(separator: "\n").map { $0.split(separator: "\t").map { Int($0) ?? 0 } }
    #expect(counts.map(\.first) == [1, 2], "\(result)")
    #expect(counts.count == 2 && counts[1][1] == counts[0][1] + 1)
  }

  @Test("after_import hears of imports that could not begin, and of rows that failed")
  func imports() throws {
    let program = try program([
      "report": """
      return { hooks = { after_import = function(report)
        print(report.source, report.ending, report.added, report.failed, report.error and report.error.code)
      end } }
      """
    ])
    try program.write("list.csv", "text,done\nMilk,yes\nEggs,perhaps\n")
    let script = "tenant.sign_in() tasks.import('list.csv', { progress = false }) pcall(tasks.import, 'missing.csv')"
    let result = try program.run("--local", "--quiet", "-e", script)
    #expect(
      result.output == "list.csv\tfinished\t1\t1\tnil\nmissing.csv\tstopped\tnil\tnil\tfile_not_found\n", "\(result)")
  }

  @Test("a request without an answer is told of, with its error")
  func noAnswer() throws {
    let program = try program([
      "watch": """
      return { hooks = { after_response = function(request, response)
        print(request.method, response.status, response.error.code, response.seconds >= 0)
      end } }
      """
    ])
    let result = try program.run(
      "--allow-net=127.0.0.1", "-e", "print(pcall(http.get, 'http://127.0.0.1:1/'))")
    #expect(result.output.hasPrefix("GET\tnil\tunreachable\ttrue\nfalse\t"), "\(result)")
  }
}
