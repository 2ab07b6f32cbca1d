import CGnuTLSShims
import CMicrohttpdShims
import Glibc

/// The certificate that a client showed in TLS.
package struct PeerCertificate: Sendable {
  package let der: [UInt8]
  /// The distinguished name in the form of RFC 4514.
  package let subject: String
  /// True if one of the server's authorities for clients issued it.
  package let isTrusted: Bool
  /// Unix seconds.
  package let validity: ClosedRange<Int>

  /// Nil if the client showed none.
  init?(of connection: OpaquePointer) {
    var peer = cgnutls_certificate()
    guard let session = cmhd_tls_session(connection), cgnutls_peer(OpaquePointer(session), &peer) else { return nil }
    der = Array(UnsafeBufferPointer(start: peer.bytes, count: peer.size))
    subject = withUnsafeBytes(of: peer.subject) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    isTrusted = peer.is_trusted
    validity = Int(peer.not_before)...max(Int(peer.not_before), Int(peer.not_after))
  }
}
