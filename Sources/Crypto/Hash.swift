import CCryptoShims

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// 32 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), 32, "SHA256")
  }
}

/// SHA-384 (FIPS 180-4).
package enum SHA384 {
  /// 48 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), 48, "SHA384")
  }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
  /// 64 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    digest(Array(bytes), 64, "SHA512")
  }
}

private func digest(_ input: [UInt8], _ size: Int, _ name: String) -> [UInt8] {
  CryptoLibrary.demand()
  return [UInt8](unsafeUninitializedCapacity: size) { output, count in
    guard let start = output.baseAddress, ccrypto_digest(name, input, input.count, start) else { return }
    count = size
  }
}
