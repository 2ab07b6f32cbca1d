import Documentation
import Permissions

/// `b2c-run help SCRIPT`: what a Lua file says of itself, without running it.
struct ScriptHelp {
  let path: String
  let header: ScriptHeader

  init(path: String, source: [UInt8]) {
    self.path = path
    header = ScriptHeader(source)
  }

  func page(width: Int) -> String {
    var page = PageText(width: width)
    page.add(
      code: header.text.isEmpty ? "\(path) has no description" : header.shown.joined(separator: "\n"), indent: 0)
    page.addBreak()
    if header.needs.isEmpty {
      page.add("The script asks for no permission.")
    } else {
      page.add("The script asks for these permissions")
      for need in header.needs {
        page.add(need.shownFlags.joined(separator: " "), need.shownReason, column: 34)
      }
    }
    page.addBreak()
    if !header.mistakes.isEmpty {
      page.add("mistakes in this list")
      for mistake in header.mistakes {
        let text = mistake.message + (mistake.hint.map { "; \($0)" } ?? "")
        page.add("line \(mistake.line)", text, column: 12)
      }
      page.addBreak()
    }
    page.add(header.flags.isEmpty ? "Run the script" : "Run the script with these permissions, or with fewer")
    page.add(code: "b2c-run \((header.flags.map(ShellWord.quoted) + [ShellWord.quoted(path)]).joined(separator: " "))")
    return page.text
  }
}
