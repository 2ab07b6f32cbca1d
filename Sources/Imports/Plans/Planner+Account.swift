import Core
import HostLoop
import ImportEngine
import ImportFormats
import JSON
import TaskAPI
import TaskPlans

/// The account: what its service keeps, and its tasks.
extension Planner {
  /// The key with the field that keeps it.
  func keeping(_ key: PlannerKey, _ place: ImportPlace, _ opened: ImportSource.Opened) throws -> PlannerKey {
    var key = key
    let columns = opened.facts?.columns ?? []
    let mapped = columns.first { $0.name == key.column }?.field
    func keeps(_ field: String) -> Bool { place.service.unkept(among: [field]).isEmpty }
    if let given = options.keyField {
      let field = TaskField(spelled: given)?.rawValue ?? given
      if let other = columns.first(where: { $0.field == field })?.name, other != key.column {
        throw plan.failure(
          option: "key_field", "the column \"\(other)\" gives \(field) already",
          hint: "name a field that no column gives")
      }
      guard PlannerKey.canKeep(field) else {
        throw plan.failure(
          option: "key_field", "'\(field)' keeps no text", hint: "the field key keeps the keys of a source")
      }
      guard keeps(field) else {
        throw plan.failure(
          option: "key_field", "the task service does not keep '\(field)'", hint: "leave key_field out")
      }
      key.field = field
    } else if let mapped, PlannerKey.canKeep(mapped), mapped != TaskDraft.sourceIDName, keeps(mapped) {
      key.field = mapped
    } else if keeps(TaskField.key.rawValue), !columns.contains(where: { $0.field == TaskField.key.rawValue }) {
      key.field = TaskField.key.rawValue
    } else {
      note(
        "no field of the tasks keeps the key \(key.shown): only the journals of this machine tell which task a row is, so apply this "
          + "plan and make later plans here")
    }
    key.isMapped = key.field != nil && key.field == mapped
    return key
  }

  func terms(_ source: any RowSource, _ place: ImportPlace, _ key: PlannerKey?) async throws -> PlannerTerms {
    let fields = source.fields
    let named = (fields ?? TaskField.allCases.map(\.rawValue)) + [key?.field].compactMap(\.self)
    let unkept = place.service.unkept(among: named)
    let fixed = Set(try await place.fixedFields())
    if let fields { tellUnkept(fields, unkept, place.service) }
    let fixedGiven = fields?.filter(fixed.contains) ?? []
    if !fixedGiven.isEmpty {
      note(
        "the service cannot change \(fixedGiven.joined(separator: ", ")) of a task that is there: such differences stay"
      )
    }
    return PlannerTerms(
      place: place, key: key, declared: source.table == nil ? nil : fields, unkept: Set(unkept), fixed: fixed,
      dedupe: plan.options.dedupe, makesLists: plan.options.missing.makesLists)
  }

  /// Says once what the service does not keep. Drafts with such values show it.
  private func tellUnkept(_ fields: [String], _ unkept: [String], _ service: any TaskService) {
    let lost = fields.filter(unkept.contains)
    if !lost.isEmpty {
      note("the service does not keep \(lost.joined(separator: ", ")): these values are not compared")
    }
    for field in [TaskField.due, .start] where fields.contains(field.rawValue) && !lost.contains(field.rawValue) {
      if Self.loses(field, "2027-01-31T08:00:00Z", service) {
        note("the service keeps the day of \(field.rawValue) alone: times of the day are not compared")
      }
    }
    let priority = TaskField.priority
    guard fields.contains(priority.rawValue), !lost.contains(priority.rawValue) else { return }
    let kept = (1...9).filter { !Self.loses(priority, .integer(Int64($0)), service) }
    if kept.count < 9 {
      note(
        "the service keeps the priorities \(kept.map(String.init).joined(separator: ", ")) alone: others are not compared"
      )
    }
  }

  private static func loses(_ field: TaskField, _ value: JSON, _ service: any TaskService) -> Bool {
    do throws(TaskAPIError) {
      return try service.unkept(of: TaskDraft(text: "x", fields: [field.rawValue: value])).contains(field.rawValue)
    } catch { return true }
  }

  /// Reads the tasks of the account once.
  func tasks(_ source: any RowSource, _ terms: PlannerTerms) async throws -> PlannerTasks {
    var fields: Set<String>?
    if let declared = source.fields, !options.deletesMissing {
      // A column with ranges of dates gives both.
      fields = Set(
        declared + [TaskField.due.rawValue, TaskField.start.rawValue] + [terms.key?.field].compactMap(\.self))
    }
    let tasks = PlannerTasks(keyField: terms.key?.field, fields: fields, dedupe: terms.dedupe)
    let service = terms.service
    // The service reads its usual list alone, and rows may name others.
    let namesLists = source.fields?.contains(TaskField.list.rawValue) ?? true
    if service.usualList != nil, namesLists, service.unkept(among: [TaskField.list.rawValue]).isEmpty {
      for list in try await service.lists() { try await service.each(list: list.id) { tasks.add($0) } }
    } else {
      try await service.each(list: nil) { tasks.add($0) }
    }
    return tasks
  }

  func tellVersions(_ tasks: PlannerTasks) {
    guard tasks.entries.contains(where: { !$0.reference.isCompared }) else { return }
    note("the service has no versions of tasks: each task is read and compared right before it is changed")
  }

  // MARK: Removals

  /// The tasks to remove; nil if nobody wants that.
  /// - Throws: an error for more than half of the tasks, unless the call allows it.
  func removals(_ tasks: PlannerTasks, _ survey: PlannerSurvey, _ history: PlannerHistory) throws -> PlannerRemovals? {
    guard options.deletesMissing else { return nil }
    let removals = PlannerRemovals(tasks, survey, history)
    guard removals.areMany, !options.removesMany else { return removals }
    throw plan.failure(
      option: "delete_missing",
      "\(removals.missing.count) of \(counted(removals.keyed, "task")) with keys would be removed, which is more than half",
      hint: "check that the source is whole; --many (many = true in a script) plans their removal")
  }

  /// Adds the removals to the plan. A source with a row that nobody can read may have the missing keys there.
  func add(_ removals: PlannerRemovals?, after last: Int, to output: PlannerOutput, _ place: ImportPlace) throws {
    guard let removals, !removals.missing.isEmpty else { return }
    let refused = output.table.counts[.refused] ?? 0
    guard refused == 0 else {
      // The beginning of the plan is written already.
      tell(
        "nothing is removed, because \(counted(refused, "row")) of the source \(refused == 1 ? "is" : "are") refused and may have "
          + "the keys that seem to be missing (\(removals.missing.count))")
      return
    }
    for row in removals.rows(after: last, refusal: place.removalRefusal) { try output.add(row) }
  }
}
