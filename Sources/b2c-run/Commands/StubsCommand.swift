import Automation
import CommandLine
import Documentation
import Glibc
import HostLoop
import Lua
import ScriptHost
import Terminal

/// `b2c-run stubs`
struct StubsCommand: Command {
  static let form = CommandForm("stubs", "write definitions of the API for editors with the Lua language server")

  static let flags: [Flag<Self>] = [
    Flag("--output DIR", "write the definitions to files below DIR; to standard output if not given", \.folder)
  ]

  private var folder: String?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let host = try ScriptHost(run.configuration, console: console)
    defer { host.close() }
    let stubs = Stubs(host.reference)
    guard let folder else {
      StandardOutput.write(data: stubs.text)
      return .done
    }
    for file in stubs.files { try TextFile.write(file.text, to: "\(folder)/\(file.path)") }
    console.log(.info, "wrote \(stubs.files.count) files; for the language server, put this into .luarc.json:")
    console.log(.info, "{ \"runtime.version\": \"Lua 5.4\", \"workspace.library\": [\"\(folder)\"] }")
    return .done
  }
}
