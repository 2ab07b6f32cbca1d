import Diagnostics
import FoundationEssentials
import HostLoop
import Lua

extension ScriptHost {
  /// The function that `flows/NAME.lua` of the stock scripts returns.
  /// - Throws: `unknown_flow` with those there are.
  func stockFlow(_ name: String) async throws -> LuaFunction {
    let folder = "\(configuration.scriptsFolder)/flows"
    guard !name.contains("/"), let source = try? Data(contentsOf: URL(filePath: "\(folder)/\(name).lua")) else {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let known = files.filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }.sorted()
      let near = nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
      throw LuaError(
        code: "unknown_flow", message: "there is no flow named '\(name)'",
        hint: near ?? "give a function, or one of \(known.joined(separator: ", "))")
    }
    let chunk = try state.load(Array(source), name: "flows/\(name).lua")
    guard let function = try await chunk.call().first?.function else {
      throw LuaError(code: "invalid_flow", message: "flows/\(name).lua returned no function")
    }
    return function
  }
}
