import Core
import Glibc

/// Unpredictable random bytes for keys, states, nonces and verifiers.
package enum SecureRandom {
  /// Bytes from the kernel, by getentropy(3). A replay gets those of the recorded run.
  package static func bytes(_ count: Int) -> [UInt8] {
    // A tape that has no more has told so, and ends the run.
    guard let tape = CurrentTape.value, count > 0,
      let kept = try? tape.input(.random, String(count), { bytesOfKernel(count) }), kept.count == count
    else { return bytesOfKernel(count) }
    return kept
  }

  private static func bytesOfKernel(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // One call brings at most 256 bytes.
      while filled < count {
        let size = min(256, count - filled)
        precondition(getentropy(buffer.baseAddress! + filled, size) == 0, "the kernel has no random bytes")
        filled += size
      }
    }
  }

  /// `count` random bytes in base64url.
  package static func token(_ count: Int = 32) -> String { Base64URL.encode(bytes(count)) }
}
