import Files
import HTTPClient
import HostLoop

extension Permissions {
  /// Whether what a flag would allow, as a header says it is needed (`--allow-net=hooks.example.com`), is granted already.
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
    case .read, .write:
      return paths[permission, default: []].contains(where: ResolvedPath(value, from: base).isWithin)
    case .env: return variables.contains { $0.utf8.elementsEqual(value.utf8) }
    case .run: return grants.values[.run, default: []].contains { $0.utf8.elementsEqual(value.utf8) }
    }
  }
}
