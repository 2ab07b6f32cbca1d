import Core
import HostLoop

/// A call of a host function that waits: what a report says of it.
struct WaitingCall {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// The name of the function alone.
  var name: String { arguments.function.name }

  /// `async.sleep, 30 s`, `http.get https://example.com/tasks`: the name, and of the arguments a time or an address without
  /// its query. Others may be long, or nobody's business.
  @HostActor var text: String {
    let function = arguments.function
    for (index, parameter) in function.parameters.enumerated() {
      if let text = Self.text(arguments[index], parameter.name) { return function.name + text }
      for key in parameter.type.optionKeys ?? [] {
        if let text = Self.text(arguments[key.name], key.name) { return function.name + text }
      }
    }
    return function.name
  }

  @HostActor private static func text(_ value: LuaValue, _ name: String) -> String? {
    switch name {
    case "seconds": value.number.map { ", \(Int64(exactly: $0).map(String.init) ?? "\($0)") s" }
    case "url": value.string.map { " " + WebAddress($0).shown }
    default: nil
    }
  }
}
