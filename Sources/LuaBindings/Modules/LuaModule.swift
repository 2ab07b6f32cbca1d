import HostLoop
import Lua

/// A module of `b2c`, with just what its functions need.
@HostActor
protocol LuaModule {
  /// The declaration, from which the table for scripts, help and the reference are made.
  var module: HostModule { get }
}
