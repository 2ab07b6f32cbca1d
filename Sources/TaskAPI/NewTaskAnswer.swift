import JSON

/// The answer of a server about a task that was sent: the body of a 200 or 201. One check for the task API in both dialects and for the
/// results of task services in Lua: the answer has the text that was sent or an ID, and no error.
struct NewTaskAnswer {
  /// True if the task was added: an empty body says so, too.
  private(set) var isConfirmation = false
  /// The reason why it is no confirmation, if it is a task or an error.
  private(set) var doubt: String?
  /// The task's own ID; nil for an answer without one.
  private(set) var id: String?
  /// The version of the task; nil for an answer without one.
  private(set) var entityTag: String?
  /// True if the answer has no field but those that each task has.
  private(set) var isBare = false

  init(_ body: [UInt8], to draft: TaskDraft) {
    body.withUnsafeBytes { bytes in
      let bytes = Self.trimmed(bytes)
      guard !bytes.isEmpty else {
        isConfirmation = true
        return
      }
      guard bytes[0] == UInt8(ascii: "{") else { return }
      if readPlainly(bytes, draft.text) { return }
      guard let json = try? JSON(parsing: Array(bytes)), let task = APITask(json) else { return }
      read(task, draft.text)
    }
  }

  /// - Parameter comparesText: false for a task that may have been changed since it was added.
  init(_ task: APITask, to draft: TaskDraft, comparesText: Bool = true) {
    read(task, comparesText ? draft.text : task.text)
    // The .NET server of 2016 says 0 for every task. A service has a reason to give an ID.
    if isConfirmation, let given = task.id, Self.isNone(given) {
      isConfirmation = false
      doubt = "the ID of the task in the answer is \(given.encoded())"
    }
  }

  private mutating func read(_ task: APITask, _ sent: String) {
    if let word = AnswerBody.errorWord(in: task.raw) {
      doubt = "the answer says \(word)"
      return
    }
    let hasText = APITask.textNames.contains { (task.raw[$0] ?? .null) != .null }
    if hasText, !TextLikeness.isSame(sent, task.text) {
      doubt = "the answer has another text: \"\(task.text.prefix(80))\""
      return
    }
    if let given = task.id, !Self.isNone(given) {
      id = given.plainText
    }
    entityTag = task.entityTag
    isConfirmation = hasText || id != nil
  }

  private static func isNone(_ id: JSON) -> Bool { id == 0 || id == "" || id == "0" }

  /// Reads a plain object with the text that was sent, which is nearly every one, by one pass over it. Returns false for others.
  private mutating func readPlainly(_ bytes: UnsafeRawBufferPointer, _ sent: String) -> Bool {
    var reader = PlainTask.Reader(bytes: bytes, position: 1)
    var hasText = false
    var isBare = true
    var given: Range<Int>?
    repeat {
      guard let name = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.scalar() else {
        return false
      }
      switch name.count {
      case 2...3 where APITask.idNames.contains { reader.holds(name, $0) }:
        guard given == nil, !value.isNull else { return false }
        given = value.range
      case 4 where APITask.textNames.contains { reader.holds(name, $0) }:
        guard !hasText, !value.isNull, reader.holds(value.range, sent) else { return false }
        hasText = true
      case 4 where APITask.tagNames.contains { reader.holds(name, $0) }:
        if !value.isNull { entityTag = reader.text(value.range) }
      case 2, 5...9:
        if AnswerBody.mayTellError(bytes[name]) { return false }
        if !APITask.bareNames.contains(where: { reader.holds(name, $0) }) { isBare = false }
      default: if !APITask.bareNames.contains(where: { reader.holds(name, $0) }) { isBare = false }
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: "}")), reader.position == bytes.count else { return false }
    if let given, !given.isEmpty, !reader.holds(given, "0") {
      id = reader.text(given)
    }
    self.isBare = isBare
    isConfirmation = hasText || id != nil
    return isConfirmation
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let start = bytes.firstIndex(where: { !AnswerBody.isBlank($0) }),
      let end = bytes.lastIndex(where: { !AnswerBody.isBlank($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[start...end])
  }
}

/// Tells whether a server shows a text that was sent to it: servers trim texts, escape and fold letters, drop what they cannot keep, and cut.
enum TextLikeness {
  /// A shorter part of a text may well be another text.
  private static let shortestCut = 40

  static func isSame(_ sent: String, _ answered: String) -> Bool {
    if sent == answered || sent.filter({ !$0.isWhitespace }) == answered.filter({ !$0.isWhitespace }) { return true }
    let (sent, answered) = (letters(of: sent), letters(of: answered))
    return !answered.isEmpty && (sent == answered || answered.count >= shortestCut && sent.starts(with: answered))
  }

  private static let entities = [
    "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#34;": "\"", "&#39;": "'", "&apos;": "'", "&amp;": "&",
  ]

  /// The letters and digits of a text, all of them small.
  private static func letters(of text: String) -> String {
    var text = text
    if text.utf8.contains(UInt8(ascii: "&")) {
      for (entity, character) in entities { text = text.replacing(entity, with: character) }
    }
    return text.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
