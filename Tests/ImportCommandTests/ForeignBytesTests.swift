import CommandLineSupport
import Foundation
import Testing

/// Names of files, arguments, variables and commands whose bytes are not UTF-8, or whose spellings Swift takes for equal.
@Suite struct ForeignBytesTests {
  @Test("an import reads a file of such a name, and writes its failed rows beside it")
  func imports() throws {
    let program = try Program()
    let run = try program.shell(
      """
      printf 'Text\\nBuy milk\\n""\\n' >$'t\\xe9l.csv'
      "$0" --local import $'t\\xe9l.csv' --progress none --report $'r\\xe9.html'; echo "status $?"
      LC_ALL=C ls | od -An -c | tr -d ' \\n'
      """, "")
    #expect(run.output.contains("status 5"), "\(run)")
    #expect(run.output.contains("t351l.csv.failed.ndjson"), "\(run)")
    #expect(run.output.contains("r351.html"), "\(run)")
    let named = try program.shell(
      "\"$0\" --local import $'t\\xe9l.csv' --failed $'f\\xff.ndjson' --resume no; LC_ALL=C ls $'f\\xff.ndjson' | wc -l",
      "")
    #expect(named.output.hasSuffix("1\n"), "\(named)")
  }

  @Test("a script gets the bytes of its arguments, and uses paths, variables and commands as they are")
  func scripts() throws {
    let program = try Program()
    try program.write(
      "s.lua",
      """
      local word = ...
      assert(word == "a\\xffb" and arg[1] == word and require "b2c".args[1] == word and #arg[0] > 0)
      assert(require "b2c".args.name == "x\\xfe")
      local name = "n\\xe9.txt"
      local file = assert(io.open(name, "w")) file:write "text" file:close()
      assert(os.rename(name, "m\\xe9.txt") and io.open("m\\xe9.txt"):read "a" == "text")
      for line in io.lines "m\\xe9.txt" do assert(line == "text") end
      assert(os.remove "m\\xe9.txt")
      assert(os.getenv "WORD" == "v\\xe9")
      assert(io.popen("printf '%s' 'p\\xe9'"):read "a" == "p\\xe9")
      assert(require "l\\xe9" == "found" and dofile "l\\xe9.lua" == "found")
      print(pcall(io.open, "no/\\xe9"))
      """)
    let run = try program.shell(
      "printf 'return \"found\"' >$'l\\xe9.lua'; mv s.lua $'s\\xe9.lua'; WORD=$'v\\xe9' \"$0\" -A $'s\\xe9.lua' $'a\\xffb' $'--name=x\\xfe'",
      "")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.hasPrefix("true\tnil\tno/"), "\(run)")
  }

  @Test("permissions, options and folders take such paths, and other options tell of such bytes")
  func options() throws {
    let program = try Program()
    let run = try program.shell(
      """
      mkdir s $'d\\xe9'; printf x >$'d\\xe9/f'; printf 'print(io.open(...):read "a")' >s/s.lua
      "$0" --no-prompt --allow-read=$'d\\xe9' s/s.lua $'d\\xe9/f'
      "$0" --no-prompt s/s.lua $'d\\xe9/f'
      "$0" --account $'a\\xe9' s/s.lua
      """, "")
    #expect(run.output == "x\n", "\(run)")
    #expect(run.errors.contains("d\u{FFFD}/f"), "\(run)")
    #expect(run.errors.contains("--account: the value is not UTF-8: byte 0xE9 at offset 1"), "\(run)")
  }

  @Test("files with two spellings of one letter are two files of tests")
  func spellings() throws {
    let program = try Program()
    let names = ["\u{E9}", "e\u{301}"]
    for name in names {
      try program.write("\(name)_test.lua", "it('is', function() expect(1).to_equal(1) end)")
    }
    let tests = try program.run("test")
    #expect(tests.output.contains("2 passed"), "\(tests)")
  }
}
