import Automation
import Documentation
import Glibc
import HostLoop
import Lua
import ScriptHost

extension Command {
  static let stubs = Command(
    "stubs", "write definitions of the API for editors with the Lua language server",
    flags: [
      Flag("--output DIR", "write the definitions to files below DIR; to standard output if not given", \.outputFolder)
    ]
  ) { invocation, console in
    let host = try ScriptHost(invocation.configuration, console: console)
    defer { host.close() }
    let stubs = Stubs(host.reference)
    guard let folder = invocation.outputFolder else {
      StandardOutput.write(data: stubs.text)
      return .done
    }
    for file in stubs.files { try TextFile.write(file.text, to: "\(folder)/\(file.path)") }
    console.log(.info, "wrote \(stubs.files.count) files; for the language server, put this into .luarc.json:")
    console.log(.info, "{ \"runtime.version\": \"Lua 5.4\", \"workspace.library\": [\"\(folder)\"] }")
    return .done
  }
}
