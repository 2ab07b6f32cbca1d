import HostLoop
import Lua
import Testing

@HostActor @Suite("What breaks out of Lua is not there")
struct SandboxTests {
  @Test(arguments: [
    (
      "local n = 0 for _ in pairs(debug) do n = n + 1 end return n, require == nil or package.loaded.debug == debug",
      "2 true"
    ),
    ("return (debug.traceback('message'):match('^message\\nstack traceback:'))", "message\nstack traceback:"),
    ("return debug.getinfo(1, 'S').short_src, debug.getinfo(1, 'l').currentline", "test.lua 1"),
    ("local i = debug.getinfo(1) return i.source, i.func", "@test.lua nil"),
    ("return debug.getinfo(print).what", "C"),
    (
      "return pcall(debug.getinfo, 1, 'f')",
      "false bad argument #2 to 'debug.getinfo' (expected letters out of \"SlnrtuL\")"
    ),
    ("return string.dump, ('').dump, package.loadlib, package.cpath, package.searchers", "nil nil nil nil nil"),
    ("return load('return 1 + 1')()", "2"),
    ("return load('return x', 'name', 't', {x = 5})()", "5"),
    ("local parts = {'return ', '7'} return load(function() return table.remove(parts, 1) end)()", "7"),
    ("return load('return x +')", "nil [string \"return x +\"]:1: unexpected symbol near <eof>"),
    ("return load('\\27Lua')", "nil attempt to load a binary chunk (mode is 't')"),
    ("return load('\\27Lua', 'name', 'bt')", "nil attempt to load a binary chunk (mode is 't')"),
    ("return load('return 1', 'name', 'b')", "nil compiled code cannot be loaded, only source text (mode \"t\")"),
    ("return pcall(load, nil)", "false bad argument #1 to 'load' (function expected, got nil)"),
    ("local t = setmetatable({}, {__index = {x = 1}}) return t.x, getmetatable(t).__index.x", "1 1"),
    (
      "return pcall(setmetatable, {}, {__gc = false})",
      "false setmetatable: a metatable with __gc is refused, for finalizers would run at any moment: give it __close, "
        + "and keep the object in a variable: local name <close> = …"
    ),
    (
      "local m = setmetatable({}, {}) getmetatable(m).__gc = print return pcall(setmetatable, m, getmetatable(m)) == false",
      "true"
    ),
    ("return collectgarbage('count') > 1", "true"),
    (
      "return pcall(collectgarbage, 'stop')",
      "false collectgarbage: only \"count\" is there, got \"stop\": the host collects garbage by itself"
    ),
    ("return getmetatable(''), pcall(setmetatable, '', {}) == false", "false true"),
    ("return ('%p %5d%%'):gsub('%%p ', ''):format(7)", "    7%"),
    (
      "return pcall(string.format, '%\0%-5p', {})",
      "false string.format: '%p' is refused: addresses in memory stay inside (use '%s')"
    ),
    ("local t = setmetatable({}, {__metatable = 1}) rawset(t, 'a', 5) return t.a", "5"),
    // An error of Lua goes back over the whole chain to name the value.
    ("return load('local a = {b = {}} return a' .. ('.b'):rep(190) .. '.c')", "function"),
    (
      "return load('return a' .. ('.b'):rep(100000) .. '.c', '=chunk')",
      "nil chunk:1: too many fields in one expression (keep a part of it in a local variable)"
    ),
    (
      "return load('return a' .. (' --[[ x ]] \\n[k]'):rep(300), '=chunk')",
      "nil chunk:202: too many fields in one expression (keep a part of it in a local variable)"
    ),
    (
      "return load('return ' .. ('('):rep(100) .. 'a' .. ('.b.c.d)'):rep(100), '=chunk')",
      "nil chunk:1: too many fields in one expression (keep a part of it in a local variable)"
    ),
    (
      "return load('local s = \"x\" ' .. ('f(a.b.c) a.b = [[.c.c.c]] ; '):rep(200) .. ' return a' .. ('.b():c()'):rep(300))",
      "function"
    ),
    ("return load((' '):rep((64 << 20) + 1))", "nil source text of 64 MB, expected at most 64 MB"),
    ("return select('#', loadfile('/nowhere.lua'))", "2"),
    ("return pcall(dofile, '/nowhere.lua')", "false cannot open /nowhere.lua: No such file or directory"),
  ])
  func script(_ script: String, expected: String) async throws {
    let text = try await Host().text(script)
    #expect(text == expected)
  }

  @Test("files of source text only")
  func files() async throws {
    let script = """
      local name = os.tmpname()
      local function write(text) local file <close> = io.open(name, 'wb') file:write(text) end
      local function results() return load ~= nil, (select(2, loadfile(name)) or ''):match('binary'), pcall(dofile, name) end
      write('return wait(1), 2')
      local one, two = dofile(name)
      local out = { one, two, loadfile(name, 't', { wait = function() return 5 end })() }
      for _, text in ipairs { '\\27Lua', '#!/bin/lua\\n\\27Lua', '\\239\\187\\191\\27Lua' } do
        write(text)
        local _, problem = loadfile(name)
        out[#out + 1] = problem:match('binary') or problem
        out[#out + 1] = tostring(select(2, pcall(dofile, name)):match('binary'))
      end
      os.remove(name)
      return table.concat(out, ' ')
      """
    #expect(try await Host().text(script) == "1 2 5 2 binary binary binary binary binary binary")
  }
}
