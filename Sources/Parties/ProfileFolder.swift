import Core
import Files
import JSON

/// The profiles in `scripts/profiles`.
package struct ProfileFolder: Sendable {
  private let path: String

  /// - Parameter scripts: the folder of the program's scripts.
  package init(scripts: String) { path = "\(scripts)/profiles" }

  /// The names of the profiles of a role, sorted.
  package func names(_ role: PartyProfile.Role) throws(ProfileError) -> [String] {
    let folder = "\(path)/\(role.folder)"
    do {
      return try FileSystem.names(in: folder).filter { $0.hasSuffix(Self.ending) }
        .map { String($0.dropLast(Self.ending.count)) }.sorted()
    } catch {
      throw ProfileError(.unreadable, "cannot read the folder \(folder): \(error.reason)", hint: Self.installAgain)
    }
  }

  package func all(_ role: PartyProfile.Role) throws(ProfileError) -> [PartyProfile] {
    var profiles: [PartyProfile] = []
    for name in try names(role) { profiles.append(try profile(role, name)) }
    return profiles
  }

  /// The profile of a name, or of a file of the user: a path with `/` or `.json`.
  package func profile(_ role: PartyProfile.Role, _ name: String) throws(ProfileError) -> PartyProfile {
    if name.contains("/") || name.hasSuffix(Self.ending) {
      let file = String(name.split(separator: "/").last ?? "")
      return try read(role, file.hasSuffix(Self.ending) ? String(file.dropLast(Self.ending.count)) : file, at: name)
    }
    let names = try names(role)
    guard names.contains(name) else {
      throw ProfileError(
        .unknown, "there is no profile of a \(role.rawValue) named '\(name)'",
        hint: didYouMean(name, among: names)
          ?? "the profiles are \(names.joined(separator: ", ")); a file is named by its path")
    }
    return try read(role, name, at: "\(path)/\(role.folder)/\(name)\(Self.ending)")
  }

  /// The profile of the provider at an address; nil if none of them knows it.
  package func provider(at url: String) throws(ProfileError) -> PartyProfile? {
    let address = WebAddress(url)
    let host = String(address.authority.prefix { $0 != ":" }).lowercased()
    return try all(.provider).first { profile in
      profile.hosts.contains { pattern in
        pattern.hasPrefix("/") ? address.path.contains(pattern) : Self.matches(host, pattern)
      }
    }
  }

  /// True if the host is the pattern, or ends as it does behind `*`.
  private static func matches(_ host: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else { return host == pattern }
    return host.count > pattern.count - parts.count && host.hasPrefix(first) && host.hasSuffix(last)
  }

  private static let ending = ".json"
  private static let installAgain = "install the program again"

  private func read(_ role: PartyProfile.Role, _ name: String, at file: String) throws(ProfileError) -> PartyProfile {
    let bytes: [UInt8]
    do { bytes = try FileSystem.contents(of: file, limit: 1 << 20) } catch {
      throw ProfileError(.unreadable, "cannot read the profile \(file): \(error.reason)")
    }
    let json: JSON
    do { json = try JSON(parsing: bytes) } catch {
      let place = [error.line, error.column].compactMap { $0.map { ":\($0)" } }.joined()
      throw ProfileError(.malformed, "\(file)\(place): not valid JSON: \(error.reason)")
    }
    return try ProfileReader(file: file).profile(role, name, json)
  }
}
