import CommandLine
import Core
import Files
import FoundationEssentials
import Glibc
package import HTTPServer

/// The certificate of `b2c-run tenant --tls`: made once and kept, so that clients continue to trust it.
package struct TenantCertificate {
  package let identity: TLSIdentity
  /// The PEM file for clients to trust.
  package let path: String

  /// The one kept under `$XDG_DATA_HOME/b2c-run` (by default `~/.local/share`), or a new one.
  package static func find() throws -> TenantCertificate {
    let folder = try folder()
    let (certificate, key) = ("\(folder)/tenant-ca.pem", "\(folder)/tenant-key.pem")
    if let certificateText = text(of: certificate), FileSystem.exists(key) {
      let keyText: String
      do { keyText = String(decoding: try PrivateFile.contents(of: key, limit: 1 << 20), as: UTF8.self) } catch {
        throw UsageError("tenant --tls: cannot read \(key): \(error.reason)")
      }
      return TenantCertificate(identity: TLSIdentity(certificate: certificateText, key: keyText), path: certificate)
    }
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost", "127.0.0.1", "::1"])
    try write(identity.key, to: key, mode: 0o600)
    try write(identity.certificate, to: certificate, mode: 0o644)
    return TenantCertificate(identity: identity, path: certificate)
  }

  private static func folder() throws -> String {
    guard let folder = UserFolder.data.path({ getenv($0).map { String(path: $0) } }) else {
      throw UsageError("tenant --tls: no place for the certificate", hint: "set HOME or XDG_DATA_HOME")
    }
    do { try FileSystem.makeFolder(folder, mode: 0o700) } catch {
      throw UsageError("tenant --tls: cannot make the folder \(folder): \(error.reason)")
    }
    return folder
  }

  private static func text(of path: String) -> String? {
    (try? FileSystem.contents(of: path)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// With its mode from the start, so that nobody reads the key in between.
  private static func write(_ text: String, to path: String, mode: mode_t) throws {
    FileSystem.unlink(path)
    do { try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: mode)).write(text.utf8) } catch {
      throw UsageError("tenant --tls: cannot write \(path): \(error.reason)")
    }
  }
}
