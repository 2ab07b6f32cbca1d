import CommandLine
import Schedule

/// The lengths of time that options give.
enum OptionTime {
  /// The seconds of an option: a number, or a length of time such as `5s`.
  static func seconds(_ text: String, _ option: String, in range: ClosedRange<Double>) throws(UsageError) -> Double {
    let given = Double(text) ?? (try? Interval.milliseconds(of: text)).map { Double($0) / 1000 }
    guard let given, range.contains(given) else {
      throw UsageError(
        "\(option): expected a time such as 5s or 2m, or a number of seconds, from \(Int(range.lowerBound)) to "
          + "\(Int(range.upperBound)) s, got '\(text)'")
    }
    return given
  }

  /// The days of an option: a number, or a length of time such as `30d`.
  static func days(_ text: String, _ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    let day: Int64 = 86_400_000
    let time = (try? Interval.milliseconds(of: text)).flatMap { $0 % day == 0 ? Int(exactly: $0 / day) : nil }
    guard let given = Int(text) ?? time, range.contains(given) else {
      throw UsageError(
        "\(option): expected a number of days from \(range.lowerBound) to \(range.upperBound), such as 30 or 30d, got "
          + "'\(text)'")
    }
    return given
  }
}
