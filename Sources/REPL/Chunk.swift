import HostLoop
import Lua

/// The typed lines, compiled as far as they go.
@HostActor
enum Chunk {
  /// Ready to run; `isExpression`: its results are to be shown even where they are nil.
  case complete(LuaFunction, isExpression: Bool)
  /// There has to be more.
  case incomplete
  case wrong(LuaError)

  /// The name in messages.
  static let name = "line"

  init(_ text: String, in state: LuaState) {
    // An expression is shown without `return`. What is one behind `return` alone, such as nothing at all, is not meant.
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
