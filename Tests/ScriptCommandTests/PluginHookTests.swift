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
}
