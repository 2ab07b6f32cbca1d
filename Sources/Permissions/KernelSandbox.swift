import CLinuxShims
import Core
package import Files
import Glibc

/// The files and ports that the kernel lets a run use (Landlock). It is a second door behind the checks of `Permissions`: a
/// mistake in a check opens nothing.
package struct KernelSandbox: Sendable {
  /// Files, and folders with all below.
  package var readable: [String] = []
  /// To read, write, make, replace and remove.
  package var writable: [String] = []
  /// The TCP ports to connect to; nil for all. The kernel knows no hosts.
  package var ports: Set<UInt16>? = []

  package init() {}

  /// True if the kernel has Landlock.
  package static var isAvailable: Bool { clandlock_version() > 0 }
  private static let firstWithPorts: CInt = 4

  /// Holds this thread, and all that it starts from now on. Returns false if the kernel cannot.
  /// - Throws: the failure of a kernel that can.
  package func hold() throws(FileFailure) -> Bool {
    let version = clandlock_version()
    guard version > 0 else { return false }
    let reading = UInt64(CLANDLOCK_READ | CLANDLOCK_LIST)
    var writing = UInt64(CLANDLOCK_WRITE | CLANDLOCK_CHANGE)
    if version >= 2 { writing |= UInt64(CLANDLOCK_REFER) }
    if version >= 3 { writing |= UInt64(CLANDLOCK_TRUNCATE) }
    let holdsPorts = version >= Self.firstWithPorts && ports != nil
    let rules = clandlock_begin(
      reading | writing | UInt64(CLANDLOCK_EXECUTE), holdsPorts ? UInt64(CLANDLOCK_CONNECT) : 0)
    guard rules >= 0 else { throw FileFailure(number: errno) }
    defer { close(rules) }
    for path in readable { allow(reading, path, rules) }
    for path in writable { allow(reading | writing, path, rules) }
    if holdsPorts { for port in ports ?? [] { _ = clandlock_allow_port(rules, port) } }
    guard clandlock_hold(rules) == 0 else { throw FileFailure(number: errno) }
    return true
  }

  /// A path that is not there needs no rule.
  private func allow(_ rights: UInt64, _ path: String, _ rules: CInt) {
    // Linux' flag for a place without its contents, which the C library shows to GNU sources only.
    let placeOnly: CInt = 0o10000000
    guard let file = try? OpenFile(path, Opening(placeOnly)), let status = try? file.status() else { return }
    let ofFiles = UInt64(CLANDLOCK_READ | CLANDLOCK_WRITE | CLANDLOCK_TRUNCATE | CLANDLOCK_EXECUTE)
    _ = clandlock_allow(rules, file.descriptor, status.st_mode & S_IFMT == S_IFDIR ? rights : rights & ofFiles)
  }
}

extension Grants {
  /// True if the kernel cannot hold a run with these: everything is allowed, or programs, which need their own files.
  package var needsNoSandbox: Bool { allowsEverything || whole.contains(.run) || values[.run] != nil }

  /// Adds what is granted to a sandbox.
  package func open(_ sandbox: inout KernelSandbox) {
    sandbox.readable += whole.contains(.read) ? ["/"] : values[.read] ?? []
    // A file is replaced by a new one beside it, which needs its folder. The program holds the run to the file itself.
    let files = values[.write] ?? []
    sandbox.writable += whole.contains(.write) ? ["/"] : files.map { FileSystem.isFolder($0) ? $0 : $0.parentFolder }
    if whole.contains(.net) { sandbox.ports = nil }
    for text in values[.net] ?? [] {
      guard let place = try? NetworkPlace(text) else { continue }
      // Without a port, all of the host's are meant.
      if let port = place.port { sandbox.ports?.insert(port) } else { sandbox.ports = nil }
    }
  }
}
