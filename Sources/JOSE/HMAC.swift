import CJoseShims

/// Message authentication by a hash (RFC 2104).
package enum HMAC {
  /// The HMAC with SHA-1, for one-time passwords (RFC 4226 §5.2).
  /// - Returns: 20 bytes.
  package static func sha1(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    JoseLibrary.demand()
    return [UInt8](unsafeUninitializedCapacity: 20) { output, count in
      guard let start = output.baseAddress, cjose_hmac_sha1(key, key.count, message, message.count, start) else {
        return
      }
      count = 20
    }
  }
}
