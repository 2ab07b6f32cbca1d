import Automation
import CommandLine
import Core
import HostLoop
import Lua
import LuaKit
import ScriptHost
import Terminal

/// `b2c-run man`
struct ManCommand: Command {
  static let form = CommandForm(
    "man", "print a manual page: b2c-run man import | man -l -",
    positions: [
      .init("[PAGE]", "a command, or settings or jobs.5 for a file; if not given, the page of the program is printed")
    ])

  static let flags: [Flag<Self>] = [
    Flag("--output DIR", "write all manual pages to the folders man1 and man5 of DIR", \.folder)
  ]

  private var folder: String?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let scripts = try await run.declaredScripts(console)
    let own = Main.commands.declarations
    let host = try ScriptHost(run.configuration, console: console)
    defer { host.close() }
    let release = ManualPage.Release(Version.text, Version.date)
    let pages =
      [ManualPage(commands: own + scripts, release)] + own.map { ManualPage($0, isScript: false, release) }
      + scripts.map { ManualPage($0, isScript: true, release) } + [.jobs(host.reference, release), .settings(release)]
    if let folder {
      if let page = words.first {
        throw UsageError(
          "man: --output has no effect with \(page)", hint: "it writes all pages: leave one of the two out")
      }
      for page in pages { try TextFile.write(page.text, to: "\(folder)/man\(page.section)/\(page.file)") }
      console.log(.info, "wrote \(pages.count) manual pages to \(folder)")
      return .done
    }
    let name = words.first.map { "b2c-run-\($0)" } ?? "b2c-run"
    // A command and a file may have the same name. The command stands first.
    guard let page = pages.first(where: { $0.name == name || $0.file == name }) else {
      throw UsageError(
        "man: there is no command '\(words[0])'",
        hint: didYouMean(words[0], among: (own + scripts).map(\.command) + ["settings"]))
    }
    StandardOutput.write(data: page.text)
    return .done
  }
}
