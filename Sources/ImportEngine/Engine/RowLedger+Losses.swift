import ImportFormats
import TaskAPI

/// The parts of rows that are lost: fields that the source has and nobody can read, or that the service does not keep.
extension RowLedger {
  /// Shows the fields that a row loses, before it is sent. Each field is shown once; a strict import ends instead.
  func tellLosses(_ draft: TaskDraft, _ unkept: [String], _ record: SourceRecord) {
    tellUnkept(unkept, of: record.place)
    if run.options.isStrict || draft.unread.keys.allSatisfy({ !told.lost.insert($0).inserted }) { return }
    run.emit(.notice(record.unreadSentence(draft)))
  }

  /// - Parameter place: the first row with the fields; nil if all rows may have them.
  func tellUnkept(_ fields: [String], of place: String? = nil) {
    if run.options.isStrict { return }
    told.unkept.formUnion(fields)
    let new = fields.filter { told.lost.insert($0).inserted }
    guard !new.isEmpty else { return }
    let names = new.joined(separator: ", ")
    let what = place.map { "\(names) of \($0) as given" } ?? names
    run.emit(.notice("the service does not keep \(what): that is lost (strict, --strict ends the import then)"))
  }

  /// The reason for which a strict import ends before it sends the row; nil if nothing is lost, as far as that is known.
  func lossBeforeSending(_ draft: TaskDraft, _ record: SourceRecord, _ service: any TaskService) -> ImportError? {
    if !draft.unread.isEmpty { return ImportError.notKept(record.unreadSentence(draft), at: record, isSent: false) }
    guard let fields = try? service.unkept(of: draft), !fields.isEmpty else { return nil }
    return ImportError.notKept(
      "the service cannot keep \(fields.joined(separator: ", ")) of \(record.place)", at: record, isSent: false)
  }

  /// Counts what a dry run would lose of a row.
  func noteLosses(ofUnsent draft: TaskDraft, _ record: SourceRecord, _ service: any TaskService) throws {
    if run.options.isStrict, let problem = lossBeforeSending(draft, record, service) { throw problem }
    report.losses.note(unread: draft.unread, unkept: try service.unkept(of: draft), changed: [])
  }

  /// Counts the fields of an added row that are lost. A field that nobody could know of is shown once.
  func noteLost(_ row: QueuedRow, _ added: AddedTask) {
    if row.draft.fields.isEmpty, row.draft.unread.isEmpty { return }
    let lost = row.draft.fields.isEmpty ? [] : added.lostFields
    report.losses.note(unread: row.draft.unread, unkept: lost.filter(told.unkept.contains), changed: lost)
    let new = lost.filter { told.lost.insert($0).inserted }
    guard !new.isEmpty else { return }
    let sentence = "the server's answer to \(row.record.place) does not have \(new.joined(separator: ", ")) as sent"
    if run.options.isStrict {
      run.stop(ImportError.notKept(sentence, at: row.record))
    } else {
      run.emit(.notice("\(sentence): what it does not keep is lost (strict, --strict ends the import then)"))
    }
  }
}

/// The facts that a person was told, and the numbers of rows.
struct Told {
  /// The lost fields.
  var lost: Set<String> = []
  /// The fields that the service does not keep.
  var unkept: Set<String> = []
  var lostParents = 0
  var repeated = 0
  var unnamed = 0
  /// A person reads no more of a kind.
  static let most = 10
}

extension RowLedger {
  /// Tells that a row is added without its parent.
  func tellLostParent(_ row: QueuedRow) {
    guard let reason = row.parent.loss, !run.options.isStrict else { return }
    tell(\.lostParents, "\(row.record.place): parent: \(reason); the row is added without its parent")
  }

  /// Counts a row of a dry run that would be added without its parent.
  func noteLostParent(_ row: QueuedRow) throws {
    if run.options.isStrict {
      throw ImportError.notKept(row.record.unreadSentence(row.draft), at: row.record, isSent: false)
    }
    report.losses.note(unread: row.draft.unread, unkept: [], changed: [])
    tellLostParent(row)
  }

  /// Tells that a row has the name of another row.
  func tellRepeated(_ name: String, _ record: SourceRecord, _ other: Int) {
    tell(
      \.repeated,
      "\(record.place): row \(other) has the source ID '\(name)' already; rows below '\(name)' go below row \(other)")
  }

  /// Tells that a row has no name, while others have one.
  func tellUnnamed(_ record: SourceRecord) { tell(\.unnamed, "\(record.place) has no source ID") }

  private func tell(_ count: WritableKeyPath<Told, Int>, _ sentence: String) {
    told[keyPath: count] += 1
    if told[keyPath: count] <= Told.most { run.emit(.notice(sentence)) }
    if told[keyPath: count] == Told.most { run.emit(.notice("further rows of this kind are not told")) }
  }
}

extension SourceRecord {
  /// The fields that the reader of the row could not keep whole: "line 7: due: the time zone 'X' is not known".
  fileprivate func unreadSentence(_ draft: TaskDraft) -> String {
    let parts = draft.unread.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "\(place): \(parts.joined(separator: "; "))"
  }
}
