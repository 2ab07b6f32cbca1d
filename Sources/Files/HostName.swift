import Glibc

/// The names of this machine.
package enum HostName {
  /// The host's name, as other machines know it.
  package static let current: String = {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
    return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? "localhost"
  }()

  /// The ID of this boot of the machine.
  package static let bootID: String = {
    let bytes = (try? FileSystem.contents(of: "/proc/sys/kernel/random/boot_id")) ?? []
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }()
}
