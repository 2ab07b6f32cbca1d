import ImportFormats
import JSON
import TaskAPI

/// Counts the fields of tasks that a format does not hold.
struct LostFields {
  private let format: SourceFormat
  private let lost: [TaskField]
  private let keepsDaysOnly: Bool
  /// True if a time in a zone is written in UTC.
  private let losesZones: Bool
  private var counts: [String: Int] = [:]

  init(_ format: SourceFormat) {
    self.format = format
    // The time of the completion goes with the completion.
    lost =
      switch format {
      case .csv, .tsv, .json, .ndjson: []
      case .text: [.notes, .due, .start, .priority, .labels, .list, .parent, .recurrence, .url, .key]
      case .todotxt: [.notes, .list, .parent, .recurrence, .url, .key]
      case .taskwarrior: [.parent, .recurrence, .url, .key]
      }
    keepsDaysOnly = format == .todotxt
    losesZones = format == .taskwarrior
  }

  mutating func add(_ task: APITask) {
    for field in lost where task.value(of: field) != nil { counts[field.rawValue, default: 0] += 1 }
    guard keepsDaysOnly || losesZones else { return }
    for field in [TaskField.due, .start] {
      guard let text = task.value(of: field)?.string, let time = try? TaskTime(parsing: text), !time.isDay else {
        continue
      }
      if keepsDaysOnly { counts["the hour of \(field.rawValue)", default: 0] += 1 }
      if losesZones, time.zone != nil, time.zone != "UTC" {
        counts["the zone of \(field.rawValue)", default: 0] += 1
      }
    }
  }

  /// A sentence for people; none if nothing is lost.
  var notes: [String] {
    guard !counts.isEmpty else { return [] }
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) of \(counted($0.value, "task"))" }
    return ["\(format.rawValue) does not hold \(parts.joined(separator: ", ")); csv and json do"]
  }
}
