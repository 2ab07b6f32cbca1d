import HostLoop
import Lua

@HostActor
enum Chunk {
  /// The lines are ready to run. If `isExpression`, the results are shown even if they are nil.
  case complete(LuaFunction, isExpression: Bool)
  case incomplete
  case wrong(LuaError)

  static let name = "line"

  init(_ text: String, in state: LuaState) {
    // An expression is shown without `return`. Empty text is no expression, although it compiles after `return`.
    if let expression = try? state.load(Array("return \(text)\n".utf8), name: Self.name), !Self.isEmpty(text) {
      self = .complete(expression, isExpression: true)
      return
    }
    do { self = .complete(try state.load(Array(text.utf8), name: Self.name), isExpression: false) } catch {
      self = error.message.hasSuffix("near <eof>") ? .incomplete : .wrong(error)
    }
  }

  private static func isEmpty(_ text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in
      let line = line.drop(while: \.isWhitespace)
      return line.isEmpty || line == ";" || line.hasPrefix("--") && !line.hasPrefix("--[")
    }
  }
}
