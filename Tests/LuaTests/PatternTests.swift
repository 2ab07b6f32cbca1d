import CLua
import HostLoop
import Lua
import Testing

/// The host has its own pattern matcher, which checks for a stop. It must find the same matches as Lua's.
@HostActor @Suite("Patterns are those of Lua 5.4")
struct PatternTests {
  /// Calls every function that takes patterns with every pair of these, and returns all that came of it as a text.
  private static let script = #"""
    local classes = {}
    for letter in ("acdglpsuwxz"):gmatch "." do
      classes[#classes + 1] = "%" .. letter
      classes[#classes + 1] = "%" .. letter:upper()
    end
    local patterns = {
      "", "^", "$", "^$", ".", ".*", ".-", ".+", ".?", "^.*$", "a*b", "a-b", "(a*)(b?)", "()", "(()a)", "(a)(b)%1", "%1", "(%1)",
      "%b()", "%bxx", "%b", "%f[%w]%w+", "%f[%W]", "%f[%z]", "%f", "%fa", "[a-c]+", "[^a-c]+", "[]]", "[^]]", "[a-]", "[%a-z]",
      "[a-%z]", "[%z]", "[^%z]", "[^%Z%s]", "[%]]", "[", "[^", "[%", "[a", "%", "(", ")", "(()", "a)", "%g+$", "^%s*(.-)%s*$",
      "%%", "%.", "%-", "é", "[é]", "a\0b", "[\0]", "\0", "$a", "a$b", "^^", "-", "+", "?", "*a", "(.)%1", "(.-)%1", "%d%d?%d?",
      "[%d.]+", "[0-9a-fA-F]+", ("(.)"):rep(32), ("(.)"):rep(33), "%y", "%i", "[z-a]",
    }
    for _, class in ipairs(classes) do
      for _, form in ipairs { "%s", "%s*", "^%s+$", "[%s]", "[^%s]+", "(%s-)x" } do
        patterns[#patterns + 1] = form:gsub("%%s", function() return class end)
      end
    end
    local all = {}
    for byte = 0, 255 do all[byte + 1] = string.char(byte) end
    local subjects = {
      "", "a", "b", "ab", "aab", "abab", "aaa bbb", "(a(b)c)", "xax", "hello world", "ezez\0z", "\0", "\0\0a\0", "a\0b", "été",
      "12.5e3", "  padded  ", "THE (quick) fox", "a]b", "%1$^-", ("ab"):rep(40), table.concat(all),
    }
    local lines = {}
    local function note(...)
      local values = table.pack(...)
      for i = 1, values.n do values[i] = tostring(values[i]) end
      lines[#lines + 1] = table.concat(values, "|")
    end
    local function all_matches(subject, pattern)
      local found = {}
      for first, second in subject:gmatch(pattern) do found[#found + 1] = tostring(first) .. "," .. tostring(second) end
      return table.concat(found, ";")
    end
    for _, pattern in ipairs(patterns) do
      for _, subject in ipairs(subjects) do
        note("find", pattern, subject, pcall(string.find, subject, pattern))
        note("find from 2", pcall(string.find, subject, pattern, 2))
        note("find at the end", pcall(string.find, subject, pattern, #subject + 1))
        note("match", pcall(string.match, subject, pattern, -3))
        note("gmatch", pcall(all_matches, subject, pattern))
        note("gsub", pcall(string.gsub, subject, pattern, "<%0>"))
        note("gsub", pcall(string.gsub, subject, pattern, "", 2))
        note("gsub", pcall(string.gsub, subject, pattern, { a = "x", [""] = "y" }))
      end
    end
    return table.concat(lines, "\n")
    """#

  @Test func same() async throws {
    let expected = Self.resultOfLua()
    let results = try await Host().run(Self.script)
    guard case .bytes(let bytes)? = results.first else {
      Issue.record("the script returned no text")
      return
    }
    let ours = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let theirs = expected.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(theirs.count > 20_000 && ours.count == theirs.count)
    let difference = zip(ours, theirs).first { $0 != $1 }
    if let (our, their) = difference {
      Issue.record("ours: \(String(decoding: our, as: UTF8.self))\nLua's: \(String(decoding: their, as: UTF8.self))")
    }
  }

  /// Returns the result of the script with Lua's own libraries.
  private static func resultOfLua() -> [UInt8] {
    guard let state = luaL_newstate() else { return [] }
    defer { lua_close(state) }
    luaL_openlibs(state)
    guard luaL_loadbufferx(state, script, script.utf8.count, "@test.lua", nil) == LUA_OK,
      lua_pcallk(state, 0, 1, 0, 0, nil) == LUA_OK
    else { return [] }
    var length = 0
    let text = lua_tolstring(state, -1, &length)
    return Array(UnsafeRawBufferPointer(start: text, count: length))
  }
}
