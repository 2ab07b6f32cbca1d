import CommandLineSupport
import Foundation
import Testing

@Suite("Imports are seen by scripts that may read their source, and forgotten by those that may write it")
struct ImportPrivacyTests {
  private static let script = """
    local imports = require "b2c".imports
    local list = imports.list()
    print(#list, list[1].source_name)
    local other = require "b2c".args[1]
    for _, call in ipairs {
      function() imports.get(other) end, function() imports.failures(other) end, function() imports.forget(other) end,
      function() imports.forget(list[1].id) end,
    } do
      local ok, e = pcall(call)
      print(ok, ok or e.code)
    end
    -- The beginning of an ID names any import; those that are not the script's are not there.
    for _, digit in ipairs { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f" } do
      local ok, import = pcall(imports.get, digit)
      if ok and import.id ~= list[1].id or not ok and tostring(import):find("other", 1, true) then print("seen", digit) end
    end
    """

  @Test func others() throws {
    let program = try Program()
    for folder in ["own", "other"] {
      try program.write("\(folder)/\(folder).csv", "text\na\n")
      let result = try program.run("--local=tenant.sqlite", "import", "\(folder)/\(folder).csv")
      #expect(result.status == 0, "\(result)")
    }
    try program.write("own/look.lua", Self.script)
    let other = program.folder.appending(path: "other/other.csv").path
    let denied = "false\tpermission_denied\n"
    let result = try program.run("own/look.lua", other)
    #expect(result.output == "1\town.csv\n\(denied)\(denied)\(denied)\(denied)", "\(result)")
    #expect(try program.run("imports", "list").output.contains("other.csv"))

    let reading = try program.run("--allow-read=other", "own/look.lua", other)
    #expect(reading.output.hasPrefix("2\t"), "\(reading)")
    let writing = try program.run("--allow-write=own", "own/look.lua", other)
    #expect(writing.output == "1\town.csv\n\(denied)\(denied)\(denied)true\ttrue\n", "\(writing)")
    #expect(try !program.run("imports", "list").output.contains("own.csv"))
  }
}
