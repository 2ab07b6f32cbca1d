import Core
import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// Looks up the lists that rows name, before the rows are sent.
@HostActor
final class RowLists {
  let service: any TaskService
  /// True until the first rows have been read: no row was sent yet, and a list that is not there ends the import.
  var isBeginning = true
  private let state: RunState
  /// The names of the lists that a dry run would make, in lower case.
  private var toMake: Set<String> = []

  init(_ service: any TaskService, _ state: RunState) {
    self.service = service
    self.state = state
  }

  /// Makes the list of the row if it is missing and the options allow it.
  /// - Returns: the draft of a row that cannot be added; nil if the row may be sent.
  func refusal(of task: TaskDraft, _ record: SourceRecord) async throws -> RowDraft? {
    let name = task.fields[TaskField.list.rawValue]?.string
    guard name != nil || state.options.missing.makesLists else { return nil }
    do { try await service.checkList(of: task) } catch let error as TaskAPIError where error.kind.isAboutList {
      return try await refusal(of: task, record, try await problem(of: name ?? service.usualList, error))
    } catch  where !(error is CancellationError) && !state.options.isDryRun {
      // The request with the row meets the error again, and waits for the service, or stops the import.
      return nil
    }
    return nil
  }

  /// Makes a list that is missing.
  /// - Returns: the error if it cannot be made; nil for a list that is there now.
  private func problem(of name: String?, _ error: TaskAPIError) async throws -> TaskAPIError? {
    guard error.kind == .unknownList, state.options.missing.makesLists, service.makesLists,
      let name = name.map(trimmed), !name.isEmpty
    else { return error }
    guard !state.options.isDryRun else {
      if toMake.insert(name.lowercased()).inserted { state.emit(.notice("the list '\(name)' would be made")) }
      return nil
    }
    do {
      _ = try await service.makeList(name)
      state.emit(.notice("made the list '\(name)'"))
      return nil
    } catch var error as TaskAPIError where error.isLasting {
      error.message = "the list '\(name)' cannot be made: \(error.message)"
      return error
    }
  }

  private func trimmed(_ name: String) -> String { name.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// The beginning of a file tells a mistake that all rows may have. A later row fails alone.
  private func refusal(
    of task: TaskDraft, _ record: SourceRecord, _ error: TaskAPIError?
  ) async throws -> RowDraft? {
    guard let error else { return nil }
    let canMake = error.kind == .unknownList && service.makesLists && !state.options.missing.makesLists
    let advice = canMake ? "--make-lists (make_lists = true in a script) makes the lists that are missing" : nil
    let hints = [error.hint, advice].compactMap(\.self)
    guard isBeginning, !state.options.isDryRun, state.options.sharing == .alone else {
      return .unusable(
        code: error.code, reason: ([error.message] + hints).joined(separator: "; "), text: task.text)
    }
    let problem = ImportError(
      kind: .unknownList, message: "\(record.place): \(error.message)",
      hint: (["nothing was sent"] + hints).joined(separator: "; "), line: record.line, status: error.status)
    state.stop(problem)
    throw problem
  }
}

extension TaskAPIError {
  /// True if the service does not make the list, however often it is asked.
  fileprivate var isLasting: Bool {
    switch meaning {
    case .refused, .doubtful, nil: true
    case .confirmed, .unclear, .accepted, .brokenOff, .notNow, .unauthorized: false
    }
  }
}

extension TaskAPIError.Kind {
  fileprivate var isAboutList: Bool { self == .unknownList || self == .ambiguousList }
}
