import Automation
import Files
import Glibc
import HostLoop
import LocalTenant
import Lua
import Permissions
import ScriptHost
import Terminal

@testable import ScriptCheck

extension FuzzTarget {
  /// Calls of the functions and methods of the API, as `calls.lua` makes them of the bytes, with a local tenant. No call may
  /// end the process, or keep it busy for longer than `mostSeconds`.
  static let calls = FuzzTarget("calls") { input in
    var configuration = ScriptHost.Configuration(scriptsFolder: FileSystem.realPath("scripts") ?? "scripts")
    configuration.memoryLimit = 64 << 20
    configuration.session.importsFolder = "\(try folder())/imports"
    configuration.session.grants = try grants(try folder())
    let tenant = try LocalTenant()
    defer { tenant.stop() }
    let host = try ScriptHost(configuration, console: Console(isQuiet: true), tenant: tenant)
    defer { host.close() }
    // As many as there is time for in a build that is several times as slow.
    host.state.mostRead = 1 << 19
    let api = try await host.makeReady()
    let caller = try host.state.load(try FileSystem.contents(of: "Tests/Fuzz/calls.lua"), name: "calls.lua")
    _ = try await StandardOutput.captured(limit: 1 << 10) {
      try await caller.call([
        .table(api), CheckTable(host.reference).value, .bytes(input.bytes), .number(mostSeconds),
        .function(host.state.function(beforeCall)), .function(host.state.function(isSlow)),
      ])
    }
  }

  private static let mostSeconds = 5.0

  /// With the variable CALLS, the names of the functions are printed.
  private static let beforeCall = HostFunction("before_call", "", [Parameter("name", .string)]) { arguments in
    let line = Array("\(arguments.string(0))\n".utf8)
    if getenv("CALLS") != nil { _ = write(2, line, line.count) }
    return []
  }

  private static let isSlow = HostFunction(
    "is_slow", "", [Parameter("name", .string), Parameter("seconds", .number)]
  ) { arguments in
    preconditionFailure("a call of \(arguments.string(0)) has taken \(arguments.number(1)) s")
  }

  /// A folder of this process, which scripts may write to.
  @HostActor private static var madeFolder: String?

  @HostActor private static func folder() throws -> String {
    if let madeFolder { return madeFolder }
    let folder = try TemporaryPlace.makeFolder("b2c-run-fuzz-")
    madeFolder = folder
    return folder
  }

  /// Connections to this machine alone, and one folder.
  private static func grants(_ folder: String) throws -> Grants {
    var grants = Grants()
    for host in ["127.0.0.1", "localhost"] { try grants.allow(.net, host) }
    for permission in [Permission.read, .write] { try grants.allow(permission, folder) }
    return grants
  }
}
