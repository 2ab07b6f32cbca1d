import Foundation
import HostLoop
import Lua
import Testing

/// The functions that were written anew, beside those of the standard interpreter.
@HostActor @Suite("Library functions give what Lua's own give")
struct LibraryTests {
  @Test("find, match, gmatch and gsub, with thousands of patterns and subjects")
  func patterns() async throws { try await compare(Self.generator + Self.patterns) }

  @Test("rep, concat, insert, remove, move and sort")
  func tables() async throws { try await compare(Self.generator + Self.tables) }

  private func compare(_ script: String) async throws {
    let ours = try #require(try await Host().run(script).first?.string)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["lua5.4", "-"]
    process.standardOutput = output
    let input = Pipe()
    process.standardInput = input
    try process.run()
    // The same name for the chunk, and so the same messages.
    let chunk = "io.write(load([=========[\(script)]=========], '@test.lua')())"
    DispatchQueue.global().async {
      input.fileHandleForWriting.write(Data(chunk.utf8))
      try? input.fileHandleForWriting.close()
    }
    let theirs = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let difference = zip(ours.split(separator: "\n"), theirs.split(separator: "\n")).first { $0 != $1 }
    #expect(difference == nil)
    #expect(ours.utf8.count == theirs.utf8.count && ours.utf8.count > 100_000)
  }

  private static let generator = """
    local state, out = 42, {}
    local function random(n)
      state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
      return (state >> 33) % n + 1
    end
    local function pick(t) return t[random(#t)] end
    local function show(...)
      local t = table.pack(...)
      for i = 1, t.n do
        t[i] = ("%q"):format(type(t[i]) == "table" and "a table" or t[i] == nil and "nil" or t[i]):gsub("[\\128-\\255]", "?")
      end
      out[#out + 1] = table.concat(t, " ")
    end

    """

  private static let patterns = #"""
    local pieces = { "a", "b", "c", ".", "%a", "%d", "%s", "%w", "%A", "%D", "%S", "%x", "%p", "%l", "%u", "%c", "%g", "%%",
      "%.", "[abc]", "[^abc]", "[a-c]", "[%a_]", "[]]", "[^]]", "[a-]", "[%-a]", "[-a]", "[a-%a]", "[%]x]", "(", ")", "()",
      "(a)", "(.)", "(%w+)", "%1", "%2", "%b()", "%bab", "%f[%w]", "%f[%W]", "%f[a]", "^", "$", "*", "+", "-", "?", "%", "[",
      "]", "[a", "[a%", "%f", "%b", "%ba", "\0", "ab", "()", "%0", "[\0-b]", "x*", "(x-)" }
    local letters = { "a", "b", "c", "a", "b", " ", "1", "(", ")", "-", "]", "\0", "x", "ab", "aa", "%", ".", "_", "\xe9", "A" }
    local suffixes = { "", "", "", "*", "+", "-", "?" }
    local replacements = { "x", "%0", "%1", "<%1%2>", "%%", "%", "%9", "", { a = "b", ab = false, x = 1 }, { a = {} },
      function(...) return select("#", ...) end, function(a) return a end, function() end, function() return {} end, 5, 2.5,
      "%a", true, "z%0z" }
    local function make(from, most, ends)
      local t = {}
      for i = 1, random(most) do t[i] = pick(from) .. (ends and pick(ends) or "") end
      return table.concat(t)
    end
    for i = 1, 4000 do
      local p, s = make(pieces, 5, suffixes), make(letters, 12)
      if random(5) == 1 then p = "^" .. p end
      if random(5) == 1 then p = p .. "$" end
      local init = random(4) == 1 and random(20) - 10 or nil
      show(p, s, init, "find", pcall(string.find, s, p, init))
      show("match", pcall(string.match, s, p, init))
      show("plain", pcall(string.find, s, p, init, true))
      show("gmatch", pcall(function() for a, b, c in string.gmatch(s, p, init) do show(a, b, c) end end))
      show("gsub", pcall(string.gsub, s, p, pick(replacements), random(6) == 1 and random(4) - 1 or nil))
      show("method", pcall(function() return s:gsub(p, pick(replacements)) end))
    end
    for _, p in ipairs { ("a?"):rep(210) .. ("a"):rep(5), ("a*"):rep(250), ("(a)"):rep(33), ("()"):rep(32), ("(a"):rep(40),
      ("a-"):rep(205) } do
      show(pcall(string.find, ("a"):rep(300), p))
    end
    for _, name in ipairs { "find", "match", "gmatch", "gsub" } do
      show(pcall(string[name]))
      show(pcall(string[name], "a", {}))
      show(pcall(function() return ("x")[name]("x", "y", {}, {}) end))
    end
    return table.concat(out, "\n")
    """#

  private static let tables = #"""
    local function list(most, n)
      local t = {}
      for i = 1, random(most) do t[i] = random(n) end
      return t
    end
    for i = 1, 2000 do
      local t = list(40, 30)
      table.sort(t)
      show("sort", table.concat(t, ","))
      table.sort(t, function(a, b) return a % 7 < b % 7 or a % 7 == b % 7 and a > b end)
      show("by", table.concat(t, ", ", random(5), random(#t)))
      show("insert", pcall(table.insert, t, random(50) - 5, "new"))
      show("remove", pcall(table.remove, t, random(50) - 5))
      show("move", pcall(function() return table.concat(table.move(t, random(9) - 2, random(20), random(20), random(2) == 1 and {} or nil), " ", 1, 5) end))
      show(#t, pcall(table.concat, t, "-"))
      show("rep", ("ab"):rep(random(30) - 5, random(2) == 1 and "-+" or nil))
    end
    for i = 1, 50 do
      local t = list(3000, 1000)
      table.sort(t, i % 2 == 0 and function(a, b) return a > b end or nil)
      show(table.concat(t, " "))
    end
    local proxy = setmetatable({}, { __len = function() return 3 end, __index = function(_, k) return k * 2 end,
      __newindex = function(_, k, v) show("set", k, v) end })
    show(table.concat(proxy, " "))
    table.insert(proxy, "x")
    table.insert(proxy, 2, "y")
    show(table.remove(proxy, 1))
    table.move(proxy, 1, 3, 2)
    for _, call in ipairs {
      function() table.sort { 1, "x" } end, function() table.sort { 3, 1, {} } end, function() table.sort(5) end,
      function() table.sort({}, 5) end, function() table.sort({ 1, 2 }, 5) end, function() table.insert({}) end,
      function() table.insert({}, 5, 5) end, function() table.insert({}, 1, 2, 3) end, function() table.insert(nil, 1) end,
      function() table.remove({}, 7) end, function() table.concat({ {} }) end, function() table.concat({ 1 }, ",", 1, 2) end,
      function() table.move({}, 1, math.maxinteger, 2) end, function() table.move({}, -1, math.maxinteger, 2) end,
      function() table.move({}, 1, 2) end, function() ("x"):rep(1 << 62) end, function() ("x"):rep() end,
      function() table.sort(setmetatable({}, { __len = function() return 1 << 40 end })) end,
    } do
      show(pcall(call))
    end
    return table.concat(out, "\n")
    """#
}
