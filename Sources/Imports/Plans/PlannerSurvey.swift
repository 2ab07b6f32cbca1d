import HostLoop
import ImportFormats
import TaskAPI

/// The facts about all rows of a source that the plan of a single one needs.
@HostActor
struct PlannerSurvey {
  /// The place of a row.
  struct Place {
    let row: Int
    let line: Int?

    var shown: String { line.map { "line \($0)" } ?? "row \(row)" }
  }

  private(set) var columns: SourceColumns
  private(set) var rows = 0
  /// The first row of each key.
  private var keys: [String: Place] = [:]
  /// The further rows of keys that several rows have.
  private var repeats: [String: [Place]] = [:]
  /// The first rows of the names that the source has for them.
  private var names: [String: Int] = [:]

  init(_ columns: SourceColumns) { self.columns = columns }

  /// - Parameters:
  ///   - key: nil for a plan without a key.
  ///   - areNamed: true if the names of rows are needed, because other rows say them as parents.
  static func of(
    _ source: PlannerSource, _ columns: SourceColumns, _ key: PlannerKey?, areNamed: Bool
  ) async throws -> PlannerSurvey {
    var survey = PlannerSurvey(columns)
    try await source.each { row in
      survey.rows = max(survey.rows, row.record.number)
      survey.columns.add(row.record, row.knownDraft)
      if areNamed, let name = row.name, survey.names[name] == nil { survey.names[name] = row.record.number }
      guard let key, case .key(let value) = key.value(of: row) else { return }
      let place = Place(row: row.record.number, line: row.record.line)
      if survey.keys[value] == nil {
        survey.keys[value] = place
      } else {
        survey.repeats[value, default: []].append(place)
      }
    }
    return survey
  }

  func has(_ key: String) -> Bool { keys[key] != nil }

  /// The row with that name; nil without one.
  func row(named name: String) -> Int? { names[name] }
  var hasNames: Bool { !names.isEmpty }

  /// The reason why the row is a conflict: other rows have its key. Nil for a key that one row has.
  func conflict(_ key: String, row: Int) -> String? {
    guard let first = keys[key], let others = repeats[key] else { return nil }
    let rest = ([first] + others).filter { $0.row != row }
    let named = rest.prefix(3).map(\.shown).joined(separator: " and ")
    let more = rest.count > 3 ? " and \(rest.count - 3) more" : ""
    return "\(named)\(more) \(rest.count == 1 ? "has" : "have") the key \"\(key.prefix(60))\", too"
  }
}
