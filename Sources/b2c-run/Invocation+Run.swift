import Diagnostics
import FoundationEssentials
import Glibc
import HostLoop
import LocalTenant
import Lua
import LuaBindings

extension Invocation {
  /// Carries the command out. Every failure has been reported when this returns.
  @HostActor
  func run() async -> ExitStatus {
    let console = Console(level: logLevel, isQuiet: isQuiet)
    do {
      if isWatching { return try await watch(console) }
      switch action {
      case .version: StandardOutput.write("b2c-run \(Version.text) (Lua \(LuaState.version))\n")
      case .command(let command): return try await command.run(self, console)
      case .chunk(let chunk):
        return try await runScript(Array(chunk.utf8), path: "(command line)", arguments, hasAPI: true, console)
      case .script("-"):
        guard !isInputTaken else {
          throw UsageError(
            "standard input cannot be both the client secret and the script",
            hint: "give one of them as a file: --set \(SecretSource.key)=@FILE")
        }
        return try await runScript(contents(of: 0, "standard input"), path: "(standard input)", arguments, console)
      case .script(let name):
        return try await runScript(at: try find(script: name), arguments, console)
      case nil: break
      }
      return .done
    } catch {
      return report(error, console)
    }
  }

  /// Runs the Lua file at `path` with `arguments`, which become its `args`.
  @HostActor
  func runScript(at path: String, _ arguments: [String], _ console: Console) async throws -> ExitStatus {
    try await runScript(read(path), path: path, arguments, console)
  }

  @HostActor
  private func runScript(
    _ source: [UInt8], path: String, _ arguments: [String], hasAPI: Bool = false, _ console: Console
  ) async throws -> ExitStatus {
    let tenant = try local.map { try LocalTenant(TenantConfiguration(dataFile: $0)) }
    defer { tenant?.stop() }
    var configuration = configuration
    configuration.tenantData = local ?? nil
    configuration.mayAsk = asksForPermissions
    let host = try ScriptHost(configuration, console: console, tenant: tenant)
    defer { host.close() }
    host.state.stop(onSignal: Interrupts.stopSignal)
    try await host.run(source, path: path, arguments: arguments, hasAPI: hasAPI)
    return host.failedRows > 0 ? .failedRows : .done
  }

  /// A path, else the name of a stock script.
  func find(script name: String) throws -> String {
    var isFolder = false
    if FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), !isFolder { return name }
    let stock = StockScript.all(in: configuration.scriptsFolder)
    if let script = stock.first(where: { $0.name == name }) { return script.path }
    if isFolder { return name }
    if name.contains(where: { $0 == "." || $0 == "/" }) {
      throw UsageError("cannot find the script '\(name)'", hint: "give the path of a Lua file")
    }
    let commands = stock.map(\.name) + Command.all.map(\.name)
    throw UsageError(
      "cannot find the script '\(name)'",
      hint: nearestName(to: name, in: commands).map { "did you mean '\($0)'?" }
        ?? "give the path of a Lua file, or one of \(commands.sorted().joined(separator: ", "))")
  }

  func read(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw UsageError(
        "cannot read the script \(path): \(String(cString: strerror(errno)))",
        hint: errno == EACCES ? "check who owns the file, and its mode" : nil)
    }
    defer { close(file) }
    return try contents(of: file, "the script \(path)")
  }

  private func contents(of file: Int32, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      guard count < 0 else {
        if count == 0 { break }
        bytes += chunk[..<count]
        continue
      }
      switch errno {
      case EINTR: continue
      case EISDIR: throw UsageError("\(name) is a folder, expected a Lua file")
      default: throw UsageError("cannot read \(name): \(String(cString: strerror(errno)))")
      }
    }
    return withoutInterpreterLine(bytes)
  }

  /// Blanks a first line that starts with `#`, so that the numbers of the others stay, and drops a byte order mark.
  private func withoutInterpreterLine(_ source: [UInt8]) -> [UInt8] {
    let source = source.starts(with: [0xef, 0xbb, 0xbf]) ? source.dropFirst(3) : source[...]
    return Array(source.first == UInt8(ascii: "#") ? source.drop { $0 != UInt8(ascii: "\n") } : source)
  }
}
