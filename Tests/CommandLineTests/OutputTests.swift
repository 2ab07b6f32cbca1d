import Foundation
import Testing

@Suite("Standard output that cannot be written")
struct OutputTests {
  @Test(
    "a reader that has seen enough ends the script quietly",
    arguments: [
      "while true do print('more') end",
      "while true do io.write('more\\n') end",
      "print('one') b2c.async.sleep(0.01) while true do print('more') b2c.async.sleep(0) end",
    ])
  func closed(script: String) throws {
    let result = try Program().shell("\"$0\" -e \"$1\" | head -1; echo ${PIPESTATUS[0]}", script)
    #expect(result.output.split(separator: "\n").last == "141")
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.errors == "")
  }

  @Test("results that get lost are a failure")
  func full() throws {
    let result = try Program().shell("\"$0\" -e 'print(1)' > /dev/full; echo $?", "")
    #expect(result.output == "1\n")
    #expect(result.errors.hasPrefix("b2c-run: standard output could not be written: "), "\(result)")
  }

  @Test("a tenant prints its settings alone, for a person it has standard error, and Ctrl-C ends it")
  func tenant() throws {
    let result = try Program().run("tenant", whenSpeaking: { $0.interrupt() })
    #expect(result.status == 130, "\(result)")
    #expect(result.output.hasPrefix("<?xml") && result.output.hasSuffix("</plist>\n"))
    #expect(result.errors.hasPrefix("Local tenant contoso.onmicrosoft.com at http://127.0.0.1:"))
  }
}
