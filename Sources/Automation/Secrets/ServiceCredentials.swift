import Accounts
import Core
import Files
import Glibc

/// The secrets that systemd gives to a service (systemd.exec(5), LoadCredential): a file each.
package enum ServiceCredentials {
  /// The variable by which a job host tells its runs of the folder.
  package static let ownVariable = "B2C_RUN_CREDENTIALS"
  private static let longest = 1 << 20

  /// The folder of the files; nil if there is none.
  package static var folder: String? {
    for variable in [ownVariable, "CREDENTIALS_DIRECTORY"] {
      if let value = getenv(variable).map({ String(path: $0) }), value.hasPrefix("/") { return value }
    }
    return nil
  }

  /// The secret in the file of that name, without a line end at its end; nil if there is none.
  static func secret(_ name: String) throws(AccountError) -> Secret? {
    // The keys of accounts are the program's own.
    guard let folder, KeptSecrets.isName(name), !KeyFileVault.isCredential(name) else { return nil }
    let path = "\(folder)/\(name)"
    let bytes: [UInt8]
    do { bytes = try FileSystem.contents(of: path, .reading, limit: longest) } catch {
      if error.number == ENOENT { return nil }
      throw AccountError(
        .noSecret, "the secret '\(name)' cannot be read: \(path): \(error.reason)",
        hint: "check LoadCredential in the unit of the service")
    }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw AccountError(.noSecret, "the secret '\(name)' in \(path) is not UTF-8 text")
    }
    if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
    return Secret(text)
  }
}
