import HostLoop
import Lua
import ScriptHost
import Testing

/// No table that a script gives ends the process or keeps it busy: tables that contain themselves, that nest deep, that are
/// reached in many ways, or that pretend another length.
@HostActor @Suite("Odd tables")
struct OddTableTests {
  /// Lua expressions; `cycle` and so on are functions of `helpers`.
  private static let odd = [
    "cycle(1)", #"cycle "keys""#, "nested(300)", "shared(60)", "{ 1, nil, 3 }",
    "{ [1] = 1, [2^53] = 2 }",
    "powers()", "setmetatable({}, { __len = function() return 2^53 end, __index = function(_, key) return key end })",
    "setmetatable({ 1 }, { __len = error, __index = error })",
    "{ [1.5] = 1, [true] = 2, [print] = 3, [{}] = 4 }",
  ]

  private static let helpers = """
    function cycle(key) local t = {} t[key] = t return t end
    function nested(depth) local t = {} for _ = 1, depth do t = { t } end return t end
    function shared(depth) local t = { "leaf" } for _ = 1, depth do t = { t, t } end return t end
    function powers() local t = {} for i = 0, 62 do t[1 << i] = i end return t end
    """

  @Test("every parameter and option of every function bears every table")
  func tables() async throws {
    let calls = try GeneratedCalls { function in
      var arguments: [GeneratedCalls.Argument] = []
      for (index, parameter) in function.shownParameters.enumerated() {
        let options = (parameter.type.optionKeys ?? []).map { "{ \($0.name) = odd }" }
        for text in ["odd", "{ odd }", "{ text = odd, odd }"] + options { arguments.append(.init(index, text)) }
      }
      return arguments
    }
    try await calls.run(
      with: Self.odd, atLeast: 5000, mostRead: 20_000,
      check: """
        local code = not ok and type(problem) == "table" and problem.code
        if code == "invalid_argument" or code == "invalid_json_value" or code == "too_many_values" then
          local text = problem.message:gsub("^b2c%.", "")
          if text:find(name, 1, true) ~= 1 then unnamed[name .. " tells: " .. text:sub(1, 90)] = true end
        end
        """, preparation: "\(Self.helpers) unnamed = {}",
      ending: "local messages = {} for text in pairs(unnamed) do messages[#messages + 1] = text end "
        + "assert(#messages == 0, table.concat(messages, '\\n'))")
  }

  @Test(
    "an error names the function, the argument or option, and the problem",
    arguments: [
      (
        "b2c.jose.verify('a.b.c', cycle(1))",
        "jose.verify: argument 2: keys has tables in tables more than 256 deep, or contains itself"
      ),
      (
        "b2c.xml.text(cycle(1))",
        "xml.text: argument 1: element has tables in tables more than 256 deep, or contains itself"
      ),
      (
        "b2c.xml.find(shared(40), '//a')",
        "xml.find: argument 1: element has more than 20000 values; a table counts each time that it is reached"
      ),
      (
        "b2c.json.encode(cycle 'a')",
        "json.encode: argument 1: \("value" + String(repeating: ".a", count: 15))… is nested too deeply, or contains itself"
      ),
      (
        "b2c.http.get('http://127.0.0.1:9/', { query = { a = { 1, nil, 3 } } })",
        "http.get: option 'query' is a list with a hole: element 2 is nil"
      ),
      (
        "b2c.async.map({ [1] = 1, [3] = 3 }, print)",
        "async.map: argument 1: items is a list with a hole: it has element 3, and no element 2"
      ),
      ("b2c.async.all { a = print }", "async.all: argument 1: functions is a table with names, expected a list"),
      (
        "b2c.term.table({}, { columns = { 'a', 5 } })",
        "term.table: option 'columns' element 2: expected a string, got number"
      ),
      (
        "b2c.oauth.check_scopes(setmetatable({}, { __len = error }))",
        "oauth.check_scopes: argument 1: scopes is an empty table whose metatable has __len; only what a table itself holds is read"
      ),
    ])
  func message(script: String, expected: String) async throws {
    let host = try TestHost()
    host.host.state.mostRead = 20_000
    #expect(await host.error("\(Self.helpers) \(script)").message == expected)
  }
}
