import CCrypto

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// 32 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), Int(SHA256_DIGEST_LENGTH)) { CCrypto.SHA256($0, $1, $2) }
  }
}

/// SHA-384 (FIPS 180-4).
package enum SHA384 {
  /// 48 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), Int(SHA384_DIGEST_LENGTH)) { CCrypto.SHA384($0, $1, $2) }
  }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
  /// 64 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), Int(SHA512_DIGEST_LENGTH)) { CCrypto.SHA512($0, $1, $2) }
  }
}

private func digest(
  _ input: [UInt8], _ size: Int,
  _ function: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: size) { output, count in
    count = function(input, input.count, output.baseAddress) == nil ? 0 : size
  }
}
