import Files
import HostLoop
import Lua

extension ScriptHost {
  /// The function of the flow of that name, and whether it is a stock one.
  /// - Throws: `unknown_flow` with those there are.
  func flow(named name: String) async throws -> (function: LuaFunction, isStock: Bool) {
    switch registry.flows[name] {
    case .function(let function)?: return (function, false)
    case .file(let path)?: return (try await stockFlow(at: path), true)
    case nil:
      throw LuaError(
        code: "unknown_flow", message: "there is no flow named '\(name)'",
        hint: registry.flows.hint(for: name, advice: "give a function, or one of"))
    }
  }

  private func stockFlow(at path: String) async throws -> LuaFunction {
    let name = "flows/\(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])"
    let chunk = try state.load(try FileSystem.contents(of: path), name: name)
    guard let function = try await chunk.call().first?.function else {
      throw LuaError(code: "invalid_flow", message: "\(name) returned no function")
    }
    return function
  }
}
