import Core
package import JSON
package import Schedule

/// The pause of all jobs: by hand until somebody ends it, and in windows of maintenance. No run starts by itself, and due
/// times are skipped; requests, files and other events wait.
package struct HostPause: Sendable, Equatable {
  /// In milliseconds since 1970.
  package struct Window: Sendable, Equatable {
    package var from: Int64
    package var until: Int64

    package init(from: Int64, until: Int64) { (self.from, self.until) = (from, until) }
  }

  package var isByHand = false
  package var windows: [Window] = []

  /// The name of the setting in the store.
  package static let setting = "pause"
  private static let mostWindows = 100

  package init() {}

  /// Adds a window of maintenance. Windows that have passed are forgotten.
  package mutating func add(_ window: Window, now: Int64) throws(PauseError) {
    guard window.until > max(window.from, now) else {
      throw PauseError(
        message: "the window of maintenance ends before it begins, or has passed", hint: "give a later --until")
    }
    windows = windows.filter { $0.until > now }
    guard windows.count < Self.mostWindows else {
      throw PauseError(
        message: "there are \(windows.count) windows of maintenance already", hint: "b2c-run jobs resume --all")
    }
    windows.append(window)
  }

  /// Why no run starts by itself now; nil if runs start.
  package func reason(at now: Int64, in zone: Zone) -> String? {
    if isByHand { return "all jobs are paused by hand" }
    let window = windows.filter { $0.from <= now && now < $0.until }.max { $0.until < $1.until }
    return window.map { "maintenance until \(zone.civil(at: $0.until).text)" }
  }

  /// The pause that there is, else the next one, as a sentence without a period; nil if there is none.
  package func notice(at now: Int64, in zone: Zone) -> String? {
    if isByHand { return "all jobs are paused by hand" }
    guard let window = windows.filter({ now < $0.until }).min(by: { $0.from < $1.from }) else { return nil }
    let until = "until \(zone.civil(at: window.until).text)"
    if window.from <= now { return "all jobs are paused: maintenance \(until)" }
    return "all jobs pause from \(zone.civil(at: window.from).text) \(until)"
  }

  /// The next moment at which a window begins or ends.
  package func nextChange(after now: Int64) -> Int64? {
    windows.flatMap { [$0.from, $0.until] }.filter { $0 > now }.min()
  }

  // MARK: JSON

  package var json: JSON {
    [
      "by_hand": .bool(isByHand),
      "windows": .array(windows.map { ["from": .integer($0.from), "until": .integer($0.until)] }),
    ]
  }

  package init(_ json: JSON?) {
    isByHand = json?["by_hand"] == true
    windows = (json?["windows"]?.array ?? []).compactMap { window in
      guard let from = window["from"]?.lenientInteger, let until = window["until"]?.lenientInteger else { return nil }
      return Window(from: from, until: until)
    }
  }
}

/// A window of maintenance that cannot be.
package struct PauseError: Failure, Equatable {
  package let code = "bad_window"
  package let message: String
  package let hint: String?
}
