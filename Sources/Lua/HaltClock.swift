import HostLoop

/// The time that a debugger has held the script: time limits do not count it.
package enum HaltClock {
  private struct Halts {
    var total = 0.0
    var start: Double?
  }

  private static let halts = Locked(Halts())

  /// The script is halted from now on.
  package static func begin() { halts.withLock { $0.start = $0.start ?? HostLoop.uptime } }

  /// The script continues.
  package static func end() {
    halts.withLock { halts in
      if let start = halts.start { halts.total += HostLoop.uptime - start }
      halts.start = nil
    }
  }

  /// The seconds so far.
  package static var seconds: Double {
    halts.withLock { $0.total + ($0.start.map { HostLoop.uptime - $0 } ?? 0) }
  }

  /// Waits until the script has had so many seconds.
  static func sleep(seconds: Double) async throws {
    let end = HostLoop.uptime + seconds - self.seconds
    while true {
      let rest = end + self.seconds - HostLoop.uptime
      if rest <= 0 { return }
      try await Task.sleep(for: .seconds(max(rest, 0.02)))
    }
  }
}
