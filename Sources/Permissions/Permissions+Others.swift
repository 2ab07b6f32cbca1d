import Files
package import HTTPClient
import HostLoop

extension Permissions {
  /// A connection to `origin`.
  package func check(_ origin: Origin, by call: String) throws(PermissionDenied) {
    if origins.contains(origin) || allowsAll(of: .net) { return }
    if places.contains(where: { $0.includes(origin) }) || settingsOrigins().contains(origin) {
      origins.insert(origin)
      return
    }
    let written = origin.written.map { ", written as \($0)" } ?? ""
    try demand(Access(.net, origin.place + written, value: origin.place, call: call), about: origin.description.utf8)
  }

  /// An action on what is the host's own: `sign out Alice, an account of another provider`. The stock commands may do it.
  package func check(action: String, by call: String) throws(PermissionDenied) {
    if isOfStockCommand || grants.allowsEverything { return }
    try demand(Access(action: action, call: call), about: action.utf8)
  }

  /// True if the run may see what other runs have left: with `-A`, or as a command that ships with the host.
  package var allowsOthersData: Bool { isOfStockCommand || grants.allowsEverything }

  /// The environment variable `name`. `bytes` is the name as the system gets it, where that may be no UTF-8.
  package func check(variable name: String, _ bytes: [UInt8]? = nil, by call: String) throws(PermissionDenied) {
    let bytes = bytes ?? Array(name.utf8)
    if allowsAll(of: .env) || variables.contains(where: { $0.utf8.elementsEqual(bytes) }) { return }
    try demand(Access(.env, name, value: name, call: call), about: bytes)
  }

  /// The secret that a person keeps under a name for scripts.
  package func check(secret name: String, by call: String) throws(PermissionDenied) {
    // A person has typed the name behind the command.
    if isOfStockCommand || allowsAll(of: .secret) || isGranted(.secret, name) { return }
    try demand(Access(.secret, name, value: name, call: call), about: name.utf8)
  }

  /// Lets these environment variables be read.
  package func allow(variables names: [String]) { variables.formUnion(names) }

  /// A command, run by a shell. `bytes` is the command as the shell gets it, where that may be no UTF-8.
  package func check(command text: String, _ bytes: [UInt8]? = nil, by call: String) throws(PermissionDenied) {
    if allowsAll(of: .run) { return }
    let command = CommandLine(text)
    if let program = command.program, isGranted(.run, program) { return }
    // The answer is about this command: the same program may do other things with other words.
    try demand(Access(.run, text, value: command.program, call: call), about: bytes ?? Array(text.utf8))
  }

  /// True if what a flag would allow, as a header says it is needed (`--allow-net=hooks.example.com`), is granted already.
  /// Nobody is asked. Nil for what is no such flag.
  package func isGranted(flag: String) -> Bool? {
    if ["-A", "--allow-all"].contains(flag) { return grants.allowsEverything }
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let permission = Permission.allCases.first(where: { $0.flag == parts[0] }) else { return nil }
    if allowsAll(of: permission) { return true }
    guard parts.count == 2 else { return false }
    return Grants.split(parts[1]).allSatisfy { isGranted(permission, $0) }
  }

  private func isGranted(_ permission: Permission, _ value: String) -> Bool {
    switch permission {
    case .net:
      guard let place = try? NetworkPlace(value) else { return false }
      return places.contains { $0.host == place.host && ($0.port == nil || $0.port == place.port) }
        || place.port != nil && origins.union(settingsOrigins()).contains(where: place.includes)
    case .read, .write: return paths[permission, default: []].contains(where: ResolvedPath(value, from: base).isWithin)
    case .env: return variables.contains { $0.utf8.elementsEqual(value.utf8) }
    case .secret: return grants.values[.secret, default: []].contains { $0.utf8.elementsEqual(value.utf8) }
    case .run: return grants.values[.run, default: []].contains { $0.utf8.elementsEqual(value.utf8) }
    }
  }
}
