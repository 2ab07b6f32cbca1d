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
      code: header.text.isEmpty ? "\(path) does not say what it does" : header.shown.joined(separator: "\n"), indent: 0)
    page.addBreak()
    if header.needs.isEmpty {
      page.add("It says of no permission that it needs it.")
    } else {
      page.add("It says that it needs")
      for need in header.needs {
        page.add(need.shownFlags.joined(separator: " "), need.shownReason, column: 34)
      }
    }
    page.addBreak()
    page.add(header.needs.isEmpty ? "Run it with" : "Run it with all of that, or with less")
    page.add(code: "b2c-run \((flags + [ShellWord.quoted(path)]).joined(separator: " "))")
    return page.text
  }

  /// Only what is a permission, so that a header cannot slip another option in.
  private var flags: [String] {
    header.needs.flatMap(\.flags).filter { $0 == "-A" || $0.hasPrefix("--allow-") }.map(ShellWord.quoted)
  }
}
