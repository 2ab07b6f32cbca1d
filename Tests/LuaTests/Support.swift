import Files
import HostLoop
import Lua

/// A state with a few host functions to try the bridge with, and `run` to run a script in it.
@HostActor
struct Host {
  let state: LuaState

  /// Lets the libraries of Lua do anything.
  private static func allow(_ access: LibraryAccess) -> LibraryAccess.Way {
    do throws(FileFailure) {
      switch access.use {
      case .file(_, _, let opening?): return .file(try OpenFile(access.thing, opening))
      case .entry: return .entry(try FolderEntry(given: access.thing))
      default: return .allowed
      }
    } catch {
      return .failed(error)
    }
  }

  init(memoryLimit: Int = 0, functions: [HostFunction] = []) throws {
    state = try LuaState(memoryLimit: memoryLimit)
    state.onLibraryAccess = Self.allow
    let standard: [HostFunction] = [
      HostFunction("echo", "Returns its arguments.", [.any("value")], isVariadic: true) { $0.values },
      HostFunction("collect", "Collects what the script no longer refers to.") { arguments in
        arguments.state.collectGarbage()
        return []
      },
      .suspending("wait", "Waits, then returns its arguments.", [.any("value")], isVariadic: true) { arguments in
        try await HostLoop.shared.sleep(seconds: 0)
        return arguments.values
      },
      .suspending("fail", "Waits, then fails.", [Parameter("message", .string)]) { arguments in
        try await HostLoop.shared.sleep(seconds: 0)
        throw LuaError(
          code: "failed", message: arguments.string(0), hint: "do not call it", status: 500, details: ["a": "b"])
      },
      .suspending("forever", "Never returns.") { _ in
        try await HostLoop.shared.sleep(seconds: 3600)
        return []
      },
    ]
    for function in standard + functions { state.globals[function.name] = .function(state.function(function)) }
  }

  @discardableResult
  func run(_ source: String, name: String = "test.lua") async throws -> [LuaValue] {
    try await state.load(Array(source.utf8), name: name).call()
  }

  /// The results as text, joined by spaces.
  func text(_ source: String) async throws -> String {
    try await run(source).map { value in
      switch value {
      case .nil: "nil"
      case .boolean(let value): "\(value)"
      case .integer(let value): "\(value)"
      case .number(let value): "\(value)"
      case .bytes: value.string ?? ""
      default: value.typeName
      }
    }.joined(separator: " ")
  }

  /// The error a script ends with.
  func error(_ source: String) async -> LuaError {
    do {
      let results = try await run(source)
      return LuaError(code: "no_error", message: "\(results)")
    } catch {
      return LuaError(error)
    }
  }
}
