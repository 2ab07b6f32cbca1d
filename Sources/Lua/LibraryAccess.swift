import CLua
import CLuaShims
import Glibc
import HostLoop

/// What a function of Lua's own libraries is about to do outside the script.
package struct LibraryAccess: Sendable {
  package enum Use: Sendable {
    /// - isEntry: it is about the name itself, which may be a link.
    case file(reads: Bool, writes: Bool, isEntry: Bool)
    case variable
    case command
  }

  /// How a file that may be used is to be opened.
  package enum Way: Sendable {
    case asGiven
    /// By this absolute path, which leads over no link.
    case path([UInt8])
  }

  package let use: Use
  /// As scripts know it: `io.open`.
  package let call: String
  /// The path, variable or command: what the C library gets.
  package let thing: [UInt8]

  fileprivate init(_ flags: Int32, call: UnsafePointer<CChar>, thing: UnsafePointer<CChar>) {
    func has(_ flag: Int) -> Bool { Int(flags) & flag != 0 }
    use =
      if has(LUAS_ENVIRONMENT) { .variable } else if has(LUAS_RUN) { .command } else {
        .file(reads: has(LUAS_READ), writes: has(LUAS_WRITE), isEntry: has(LUAS_ENTRY))
      }
    self.call = String(cString: call)
    self.thing = UnsafeRawBufferPointer(start: thing, count: strlen(thing)).map { $0 }
  }
}

extension LuaState {
  /// `luas_permit`, on the loop's thread, without Swift knowing it.
  nonisolated static let permit: luas_permit = { stack, flags, call, thing, way in
    guard let stack, let call, let thing, let owner = luas_gethost(stack)?.pointee.owner else {
      return Int32(LUAS_RAISE)
    }
    let state = Unmanaged<LuaState>.fromOpaque(owner).takeUnretainedValue()
    let (code, answer) = isolatedPermit(state, stack, LibraryAccess(flags, call: call, thing: thing))
    way?.pointee.unrestricted = false
    // A longer path is none that could be opened.
    guard case .path(let path) = answer, path.count < Int(PATH_MAX) else {
      if case .asGiven = answer { way?.pointee.unrestricted = true }
      return code
    }
    if let way {
      withUnsafeMutableBytes(of: &way.pointee.resolved) { buffer in
        buffer.copyBytes(from: path)
        buffer[path.count] = 0
      }
    }
    return code
  }

  private nonisolated static let isolatedPermit = unsafeBitCast(
    { $0.permit($2, on: $1) }
      as @HostActor @Sendable (LuaState, LuaStack, LibraryAccess) -> (
        Int32, LibraryAccess.Way
      ), to: (@Sendable (LuaState, LuaStack, LibraryAccess) -> (Int32, LibraryAccess.Way)).self)

  private func permit(_ access: LibraryAccess, on stack: LuaStack) -> (Int32, LibraryAccess.Way) {
    do { return (0, try onLibraryAccess(access)) } catch {
      pushError(error, onto: stack)
      return (Int32(LUAS_RAISE), .path([]))
    }
  }

  /// What a state says to libraries that nobody watches over.
  nonisolated static func refuse(_ access: LibraryAccess) throws -> LibraryAccess.Way {
    throw LuaError(code: "permission_denied", message: "\(access.call): this host allows nothing")
  }
}
