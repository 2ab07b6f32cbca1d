import CGnuTLSShims
import Core
import Glibc

/// A server certificate and its private key, both as PEM.
package struct TLSIdentity: Sendable {
  /// The certificate chain, with the server's certificate first.
  package let certificate: String
  /// The private key. Its file needs mode 0600: anybody with the key can pose as this server.
  package let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

extension TLSIdentity {
  private static let library = LazyLibrary("GnuTLS", package: "libgnutls30", cgnutls_load)

  static func loadLibrary() throws(HTTPServerError) {
    try library.demand { HTTPServerError(.tls, $0, hint: $1) }
  }

  /// A new P-256 key and its self-signed certificate, valid for `days` and `hosts` (names or IP addresses). It is its
  /// own authority: a client with its PEM as the CA file trusts only this server.
  package static func selfSigned(
    hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = 825
  ) throws(HTTPServerError) -> TLSIdentity {
    try loadLibrary()
    var key: gnutls_x509_privkey_t?
    try check(cgnutls_x509_privkey_init(&key))
    defer { cgnutls_x509_privkey_deinit(key) }
    let bits = cgnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
    try check(cgnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0))

    var certificate: gnutls_x509_crt_t?
    try check(cgnutls_x509_crt_init(&certificate))
    defer { cgnutls_x509_crt_deinit(certificate) }
    try describe(certificate, key, hosts: hosts, days: days)
    try check(cgnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0))

    return TLSIdentity(
      certificate: try pem { cgnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, $0) },
      key: try pem { cgnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, nil, 0, $0) })
  }

  private static func describe(
    _ certificate: gnutls_x509_crt_t?, _ key: gnutls_x509_privkey_t?, hosts: [String], days: Int
  ) throws(HTTPServerError) {
    try check(cgnutls_x509_crt_set_version(certificate, 3))
    // A zero and 19 random bytes: RFC 5280 §4.1.2.2 wants a positive number of at most 20 bytes.
    var serial = [UInt8](repeating: 0, count: 20)
    try check(serial[1...].withUnsafeMutableBytes { cgnutls_rnd(GNUTLS_RND_NONCE, $0.baseAddress, 19) })
    try check(cgnutls_x509_crt_set_serial(certificate, serial, serial.count))
    // A day earlier, for virtual machines whose clocks are behind.
    let now = time(nil)
    try check(cgnutls_x509_crt_set_activation_time(certificate, now - 86_400))
    try check(cgnutls_x509_crt_set_expiration_time(certificate, now + days * 86_400))
    let name = "b2c-run local tenant"
    try check(
      cgnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.utf8.count)))
    try check(cgnutls_x509_crt_set_key(certificate, key))
    for host in hosts { try addName(host, to: certificate) }
    try check(cgnutls_x509_crt_set_basic_constraints(certificate, 1, 0))
    try check(
      cgnutls_x509_crt_set_key_usage(certificate, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN)))
    try check(cgnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0))
    var identifier = [UInt8](repeating: 0, count: 64)
    var size = identifier.count
    try check(cgnutls_x509_crt_get_key_id(certificate, 0, &identifier, &size))
    try check(cgnutls_x509_crt_set_subject_key_id(certificate, identifier, size))
    try check(cgnutls_x509_crt_set_authority_key_id(certificate, identifier, size))
  }

  private static func addName(_ host: String, to certificate: gnutls_x509_crt_t?) throws(HTTPServerError) {
    var v4 = in_addr()
    var v6 = in6_addr()
    let append = UInt32(GNUTLS_FSAN_APPEND)
    if inet_pton(AF_INET, host, &v4) == 1 {
      try check(cgnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, &v4, 4, append))
    } else if inet_pton(AF_INET6, host, &v6) == 1 {
      try check(cgnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, &v6, 16, append))
    } else {
      let name = Array(host.utf8)
      try check(
        cgnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name, UInt32(name.count), append))
    }
  }

  private static func pem(_ export: (UnsafeMutablePointer<gnutls_datum_t>) -> CInt) throws(HTTPServerError) -> String {
    var datum = gnutls_datum_t()
    try check(export(&datum))
    // `gnutls_free` is a variable that C code may change, which Swift 6 does not let us read; it is `free` unless changed.
    defer { free(datum.data) }
    return String(decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
  }

  private static func check(_ result: CInt) throws(HTTPServerError) {
    guard result < 0 else { return }
    throw HTTPServerError(
      .tls, "the certificate could not be made: \(String(cString: cgnutls_strerror(result)))")
  }
}
