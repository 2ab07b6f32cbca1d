import JSON
import TableReading
import TaskAPI

/// The values of a row in the one form that each field has.
extension RowMapper {
  /// The state of a task by its columns of completion, or the reason why nobody can tell.
  struct CompletionFinding {
    var word = CompletionValue.Word.nothing
    /// The column that says so.
    var place: Place?
    var value = JSON.null
    var problem: String?
  }

  func completion(
    _ word: (Completion) -> CompletionValue.Word, value: (Place) -> JSON
  ) -> CompletionFinding {
    var found = CompletionFinding()
    for completion in completions {
      let word = word(completion)
      let place = completion.place
      switch word {
      case .nothing: continue
      case .unclear: return CompletionFinding(problem: Self.unclear(place, value(place)))
      case .done, .open:
        guard let first = found.place else {
          found = CompletionFinding(word: word, place: place, value: word == .open ? value(place) : .null)
          continue
        }
        guard found.word != word else { continue }
        return CompletionFinding(problem: disagreement((first.name, value(first)), (place.name, value(place))))
      }
    }
    return found
  }

  private static func unclear(_ place: Place, _ value: JSON) -> String {
    let option = ValueMap.option(completedField, [(value.plainText, "true")])
    return
      "\"\(place.name)\" is \(value.encoded()), expected yes or no, done or open, true or false; \(option) or =false says what "
      + "it means"
  }

  private func disagreement(_ one: (name: String, value: JSON), _ other: (name: String, value: JSON)) -> String {
    "\"\(one.name)\" is \(one.value.encoded()) and \"\(other.name)\" is \(other.value.encoded()), so that nobody knows whether the "
      + "task is done; \(example(completedBy: one.name)) decides by the first"
  }

  /// The draft with the values of the common fields in their one form, and done as the columns of completion say, else by the time
  /// of its completion.
  func checked(_ draft: TaskDraft, _ completion: CompletionFinding) -> RowDraft {
    if let problem = completion.problem { return invalid(problem, text: draft.text) }
    var draft = draft
    if completion.word == .done { draft.fields[Self.completedField] = true }
    if !keepsLostDigits, FieldValue.hasLostDigits(draft.text) {
      return invalid(Self.lostDigits(text, draft.text), text: draft.text)
    }
    guard !fields.isEmpty, !draft.fields.isEmpty, case .task(var draft) = RowDraft(draft) else {
      return RowDraft(draft)
    }
    do throws(ValueProblem) {
      for source in fields {
        if let value = draft.fields[source.field] { try read(value, source, into: &draft) }
      }
    } catch { return .unusable(code: error.code, reason: error.reason, text: draft.text) }
    let end = TaskField.completedAt.rawValue
    if completion.word == .nothing {
      draft.inferCompletion()
    } else if completion.word == .open, !isGiven, !isTaskwarrior, let value = draft.fields[end],
      let state = completion.place?.name, let time = column(of: end)
    {
      return invalid(disagreement((state, completion.value), (time, value)), text: draft.text)
    }
    return RowDraft(draft)
  }

  private func read(_ value: JSON, _ source: Source, into draft: inout TaskDraft) throws(ValueProblem) {
    let name = source.field
    let value = source.words?.meaning(of: value) ?? value
    draft.fields[name] = value
    if !keepsLostDigits, Self.namesThings.contains(name), let text = value.string, FieldValue.hasLostDigits(text) {
      throw ValueProblem(Self.lostDigits(source.place, text))
    }
    guard let field = TaskField(rawValue: name) else { return }
    guard WrittenDate.isDate(named: name), let range = WrittenDate.range(value) else {
      draft.fields[name] = try normalized(value, source, field)
      return
    }
    let start = TaskField.start.rawValue
    if field == .start || draft.fields[start] == nil {
      draft.fields[start] = try normalized(.string(range.start), source, .start)
    }
    if field != .start || draft.fields[TaskField.due.rawValue] == nil {
      let end = field == .start ? TaskField.due : field
      draft.fields[end.rawValue] = try normalized(.string(range.end), source, end)
    }
  }

  private func normalized(_ value: JSON, _ source: Source, _ field: TaskField) throws(ValueProblem) -> JSON? {
    var read = isTaskwarrior ? FieldValue.day(value, for: field) : value
    switch WrittenDate.read(read, for: field, dateOrder) {
    case .other: break
    case .date(let text): read = .string(text)
    case .unclear(let reason):
      throw ValueProblem("\"\(source.place.name)\": \(reason)")
    }
    do throws(TaskFieldError) { return try field.normalized(FieldValue.read(read, for: field, scale)) } catch {
      if isKeptInText { return nil }
      let option =
        field == .priority
        ? "\(ValueMap.option(field.rawValue, [(value.plainText, "NUMBER")])) says what it means" : nil
      let way = (error.hint ?? option).map { "; \($0)" } ?? ""
      throw ValueProblem(code: error.code, "\"\(source.place.name)\": \(error.message)\(way)")
    }
  }

  /// The fields whose values are names of things, which digits tell apart.
  static let namesThings: Set<String> = ["url", "parent", "list", "source_id", "key"]

  static func lostDigits(_ place: Place, _ text: String) -> String {
    "\"\(place.name)\" is \(text): a spreadsheet has left out digits; format the column as text there and export it again"
  }
}

/// The reason why a value is not what its field takes.
private struct ValueProblem: Error {
  let code: String
  let reason: String

  init(code: String = ImportError.Kind.invalidValue.rawValue, _ reason: String) {
    (self.code, self.reason) = (code, reason)
  }
}
