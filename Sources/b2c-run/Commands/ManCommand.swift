import Automation
import Core
import HostLoop
import Lua
import LuaKit
import ScriptHost

extension Command {
  static let man = Command(
    "man", "print a manual page: b2c-run man import | man -l -",
    flags: [
      Flag("--output DIR", "write all manual pages to the folders man1 and man5 of DIR", \.outputFolder)
    ],
    positions: [
      .init("[PAGE]", "a command, or settings or jobs.5 for a file; if not given, the page of the program is printed")
    ]
  ) { invocation, console in
    let scripts = try await invocation.declaredScripts(console)
    let own = Command.all.map(\.declaration)
    let host = try ScriptHost(invocation.configuration, console: console)
    defer { host.close() }
    let pages =
      [ManualPage(commands: own + scripts)] + own.map { ManualPage($0, isScript: false) }
      + scripts.map { ManualPage($0, isScript: true) } + [.jobs(host.reference), .settings]
    if let folder = invocation.outputFolder {
      if let page = invocation.arguments.first {
        throw UsageError(
          "man: --output has no effect with \(page)", hint: "it writes all pages: leave one of the two out")
      }
      for page in pages { try TextFile.write(page.text, to: "\(folder)/man\(page.section)/\(page.file)") }
      console.log(.info, "wrote \(pages.count) manual pages to \(folder)")
      return .done
    }
    let name = invocation.arguments.first.map { "b2c-run-\($0)" } ?? "b2c-run"
    // A command and a file may have the same name. The command stands first.
    guard let page = pages.first(where: { $0.name == name || $0.file == name }) else {
      throw UsageError(
        "man: there is no command '\(invocation.arguments[0])'",
        hint: didYouMean(invocation.arguments[0], among: (own + scripts).map(\.command) + ["settings"]))
    }
    StandardOutput.write(data: page.text)
    return .done
  }
}
