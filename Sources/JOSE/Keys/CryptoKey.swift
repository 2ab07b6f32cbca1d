import CJoseShims

/// A private, public or symmetric key in libcrypto's form, which is made once and signs many times.
///
/// It is Sendable: it never changes, and libcrypto lets threads share it. Its private numbers are overwritten at the end.
final class CryptoKey: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Takes the key; nil if there is none.
  init?(owning pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { cjose_key_free(pointer) }

  /// A key of the type `ED25519` or `HMAC`.
  init?(_ type: String, raw bytes: [UInt8], isPrivate: Bool) {
    guard let pointer = cjose_raw_key(type, bytes, bytes.count, isPrivate) else { return nil }
    self.pointer = pointer
  }

  /// libcrypto's name of the type: `RSA`, `EC`, `ED25519`, `HMAC` or another one.
  var type: String { cjose_key_type(pointer).map { String(cString: $0) } ?? "unknown" }

  /// The size of the modulus or of the curve.
  var bits: Int { Int(cjose_key_bits(pointer)) }

  /// The curve of an EC key, by its name in a JSON Web Key; by libcrypto's name if it has no such name.
  var curve: String? {
    var name = [CChar](repeating: 0, count: 64)
    guard cjose_key_curve(pointer, &name, name.count) else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return ["prime256v1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"][text] ?? text
  }

  /// A number of the key by libcrypto's name, without zeros in front; nil if the key has no such number.
  func number(_ name: String) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
      count = cjose_key_number(pointer, name, buffer.baseAddress!, buffer.count)
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The bytes of an Ed25519 or symmetric key.
  func raw(isPrivate: Bool) -> [UInt8]? {
    var size = 1 << 16
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = cjose_key_raw(pointer, isPrivate, buffer.baseAddress!, &size) ? size : 0
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The private key in PKCS #8 and PEM; nil for a key that has no such form.
  func pem() -> [UInt8]? {
    // The largest RSA key takes less than a quarter.
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = cjose_key_pem(pointer, buffer.baseAddress!, buffer.count)
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The size of a symmetric key.
  var secretBits: Int { 8 * (raw(isPrivate: true)?.count ?? 0) }

  /// True if the public halves are the same.
  func hasPublicHalf(of other: CryptoKey) -> Bool { cjose_key_equal(pointer, other.pointer) }

  /// The signature; nil if libcrypto refuses.
  func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
    Self.signature {
      cjose_sign(pointer, algorithm.digest, algorithm.isPSS, message, message.count, $0, $1)
    }
  }

  private static func signature(_ write: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> [UInt8]? {
    // A signature of the largest RSA key.
    let signature = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
      count = write(buffer.baseAddress!, buffer.count)
    }
    return signature.isEmpty ? nil : signature
  }

  /// The key made ready for many signatures; nil if libcrypto refuses.
  func signer(_ algorithm: SignatureAlgorithm) -> OpaquePointer? {
    cjose_signer_make(pointer, algorithm.digest, algorithm.isPSS)
  }

  /// A signature by what `signer` of this key gave.
  func sign(_ message: [UInt8], signer: OpaquePointer) -> [UInt8]? {
    Self.signature { cjose_signer_sign(signer, pointer, message, message.count, $0, $1) }
  }

  func verify(_ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
    cjose_verify(
      pointer, algorithm.digest, algorithm.isPSS, message, message.count, signature, signature.count)
  }

  /// Encrypts or decrypts a key with RSA-OAEP; nil if libcrypto refuses.
  func oaep(_ input: [UInt8], digest: String, encrypts: Bool) -> [UInt8]? {
    let output = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
      count = cjose_oaep(pointer, digest, encrypts, input, input.count, buffer.baseAddress!, buffer.count)
    }
    return output.isEmpty ? nil : output
  }
}
