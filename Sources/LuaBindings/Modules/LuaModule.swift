import HostLoop
import Lua

/// A module of `b2c`, with just what its functions need.
@HostActor
protocol LuaModule: Sendable {
  /// The functions, in the order of the documentation.
  static var functions: [ModuleFunction<Self>] { get }
  /// The declaration, from which the table for scripts, help and the reference are made.
  var module: HostModule { get }
}

/// A function of a module, declared once for the modules of all hosts.
struct ModuleFunction<Module: LuaModule>: Sendable {
  /// Returns the function of one host's module.
  let of: @HostActor @Sendable (Module) -> HostFunction
}

extension LuaModule {
  var functions: [HostFunction] { Self.functions.map { $0.of(self) } }

  /// A function of the module.
  static func function(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    let parameters = parameters.with(options)
    return ModuleFunction { module in
      HostFunction(name, doc, parameters, returns: results, example: example) { try body(module, $0) }
    }
  }

  /// A function that may wait.
  static func suspending(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) async throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    let parameters = parameters.with(options)
    return ModuleFunction { module in
      .suspending(name, doc, parameters, returns: results, example: example) { try await body(module, $0) }
    }
  }
}
