package import HostLoop

/// The record of a run: the digest of everything that it does, in order, and its last lines.
@HostActor
package final class Trace {
  private static let mostLines = 400
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  private(set) var lines: [String] = []
  private(set) var checks = 0
  private(set) var violations: [String] = []
  private let start = HostLoop.uptime
  /// Prints each line at once.
  package static var isLoud = false

  /// Milliseconds since the beginning.
  var now: Int64 { Int64((HostLoop.uptime - start) * 1000) }

  /// Takes something into the digest (FNV-1a).
  func note(_ text: String) {
    for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    digest = (digest ^ UInt64(bitPattern: now)) &* 0x100_0000_01b3
  }

  func log(_ text: @autoclosure () -> String) {
    let line = "\(now) ms  \(text())"
    note(line)
    if Trace.isLoud { print(line) }
    if lines.count >= 2 * Self.mostLines { lines.removeFirst(Self.mostLines) }
    lines.append(line)
  }

  /// Checks an invariant.
  func check(_ isTrue: Bool, _ sentence: @autoclosure () -> String) {
    checks += 1
    guard !isTrue else { return }
    let text = sentence()
    violations.append(text)
    log("VIOLATION: \(text)")
  }

  var result: SimulatedResult {
    var result = SimulatedResult()
    (result.violations, result.checks, result.digest, result.log) = (violations, checks, digest, lines)
    result.seconds = Double(now) / 1000
    return result
  }
}
