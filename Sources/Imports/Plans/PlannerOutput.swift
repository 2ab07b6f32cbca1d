import Files
import TaskPlans

/// The file of a plan and its table for a person, which get its rows one by one.
final class PlannerOutput {
  private let writer: PlanWriter
  private(set) var table: PlanTable

  init(_ header: PlanHeader, to file: OutputPlace) throws {
    writer = try PlanWriter(file, header)
    table = PlanTable(header)
  }

  func add(_ row: PlannedRow) throws {
    try writer.add(row)
    table.add(row)
  }

  /// Puts the file in its place. Returns its digest.
  func finish() throws -> String { try writer.finish() }
}
