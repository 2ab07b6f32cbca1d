import CLua
import CLuaShims
package import Files
import Glibc
import HostLoop

/// An access of Lua's own libraries to something outside the script.
package struct LibraryAccess: Sendable {
  package enum Use: Sendable {
    /// A file that is to be opened; nil: it is only asked whether one may be used.
    case file(reads: Bool, writes: Bool, Opening?)
    /// The name itself, which may be a link: the file is to be removed or moved.
    case entry(reads: Bool)
    case variable
    case command
  }

  /// The answer to an access that is allowed.
  package enum Way: Sendable {
    /// Nothing was to be opened.
    case allowed
    case file(OpenFile)
    case entry(FolderEntry)
    /// It is allowed, but cannot be opened.
    case failed(FileFailure)
  }

  package let use: Use
  /// As scripts know it: `io.open`.
  package let call: String
  /// The path, variable or command: what the C library gets.
  package let thing: [UInt8]

  fileprivate init(
    _ flags: Int32, call: UnsafePointer<CChar>, thing: UnsafePointer<CChar>, opening: UnsafePointer<luas_access>?
  ) {
    func has(_ flag: Int) -> Bool { Int(flags) & flag != 0 }
    use =
      if has(LUAS_ENVIRONMENT) { .variable } else if has(LUAS_RUN) { .command } else if has(LUAS_ENTRY) {
        .entry(reads: has(LUAS_READ))
      } else {
        .file(reads: has(LUAS_READ), writes: has(LUAS_WRITE), opening.map { Opening($0.pointee.flags) })
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
    let access = LibraryAccess(flags, call: call, thing: thing, opening: UnsafePointer(way))
    let (code, answer) = isolatedPermit(state, stack, access)
    if let way { answer.fill(&way.pointee) }
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
      return (Int32(LUAS_RAISE), .allowed)
    }
  }

  /// The answer of a state without permissions.
  nonisolated static func refuse(_ access: LibraryAccess) throws -> LibraryAccess.Way {
    throw LuaError(code: "permission_denied", message: "\(access.call): this host allows nothing")
  }
}

extension LibraryAccess.Way {
  /// Hands over descriptors of its own to C, which closes them.
  fileprivate func fill(_ access: inout luas_access) {
    access.descriptor = -1
    access.error = ENOENT
    do throws(FileFailure) {
      switch self {
      case .allowed: break
      case .failed(let failure): access.error = failure.number
      case .file(let file): access.descriptor = try file.duplicate()
      case .entry(let entry):
        let name = entry.nameBytes
        guard name.count < Int(PATH_MAX) else { throw FileFailure(number: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &access.name) { buffer in
          buffer.copyBytes(from: name)
          buffer[name.count] = 0
        }
        access.descriptor = try entry.duplicateFolder()
      }
    } catch { access.error = error.number }
  }
}
