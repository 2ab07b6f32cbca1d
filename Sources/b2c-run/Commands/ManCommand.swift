import Automation
import Core
import HostLoop
import Lua
import LuaBindings

extension Command {
  static let man = Command(
    "man", "print the manual page of the program or of a command: b2c-run man import | man -l -",
    flags: [Flag("--output DIR", "write all manual pages to files in DIR", \.outputFolder)],
    positions: [.init("[COMMAND]", "a command; if not given, the page of the program is printed")]
  ) { invocation, console in
    let scripts = try await invocation.declaredScripts(console)
    let own = Command.all.map(\.declaration)
    let pages =
      [ManualPage(commands: own + scripts)] + own.map { ManualPage($0, isScript: false) }
      + scripts.map { ManualPage($0, isScript: true) }
    if let folder = invocation.outputFolder {
      for page in pages { try TextFile.write(page.text, to: "\(folder)/\(page.name).1") }
      console.log(.info, "wrote \(pages.count) manual pages to \(folder)")
      return .done
    }
    let name = invocation.arguments.first.map { "b2c-run-\($0)" } ?? "b2c-run"
    guard let page = pages.first(where: { $0.name == name }) else {
      throw UsageError(
        "man: there is no command '\(invocation.arguments[0])'",
        hint: didYouMean(invocation.arguments[0], among: (own + scripts).map(\.command)))
    }
    StandardOutput.write(page.text)
    return .done
  }
}
