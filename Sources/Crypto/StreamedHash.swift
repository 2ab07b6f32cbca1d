import CCryptoShims

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
package final class StreamedHash {
  private let context: OpaquePointer?
  private var isIntact: Bool

  package init() {
    CryptoLibrary.demand()
    context = ccrypto_hash_begin("SHA256")
    isIntact = context != nil
  }

  deinit { if let context { ccrypto_hash_free(context) } }

  package func add(_ bytes: UnsafeRawBufferPointer) {
    guard let context else { return }
    isIntact = ccrypto_hash_add(context, bytes.baseAddress, bytes.count) && isIntact
  }

  /// The 32 bytes of the digest; none if libcrypto has refused a step. Called once, after the last piece.
  package func end() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      guard isIntact, let context, let start = output.baseAddress, ccrypto_hash_end(context, start) else { return }
      count = 32
    }
  }
}
