import TableReading
import TaskAPI

enum ColumnNames {
  private static let texts: Set<String> = [
    "text", "title", "task", "name", "description", "summary", "content", "todo", "subject", "task name",
    "task title",
  ]
  private static let completions: Set<String> = [
    "completed", "done", "status", "complete", "finished", "is completed", "is done", "is complete",
  ]

  /// The usual names of the text in all languages, in lower case.
  static let plainTexts = texts.union(ForeignNames.texts)

  /// Shares of a task that are done: 100 or, as in Outlook, 1 means all of it.
  private static let percentages: Set<String> = [
    "% complete", "percent complete", "percent completed", "percent done", "percentage complete", "percentcomplete",
  ]

  /// Further names of a single column of texts, which need not be told from others.
  private static let headings: Set<String> = [
    "tasks", "task list", "todos", "todo list", "to do", "to dos", "item", "items", "entry", "entries", "line", "lines",
    "action", "actions", "what", "things",
  ]

  static func isHeading(_ name: String) -> Bool {
    headings.contains(plain(name)) || ForeignNames.field(of: name) == .text
  }
  static func isText(_ name: String) -> Bool { texts.contains(plain(name)) }

  /// True for a usual name of a field, also in another language or among signs, and for the columns of a file of failed rows.
  static func isUsual(_ name: String) -> Bool {
    if CSVHeader.isOwn(name) || isHeading(name) { return true }
    let bare = bare(name)
    return texts.contains(bare) || isPercentage(name) || FieldNames.usualField(bare) != nil
      || ForeignNames.field(of: bare) != nil
  }

  /// The candidates for the column with the text: the one called `text`, else all with a usual name, else all with a name in
  /// another language.
  static func text(in names: [String]) -> [String] {
    let candidates = best(names, texts, exact: "text")
    return candidates.isEmpty ? names.filter { ForeignNames.field(of: $0) == .text } : candidates
  }

  /// True for a longer text beside a title.
  static func isDescription(_ name: String) -> Bool { descriptions.contains(plain(name)) }
  private static let descriptions: Set<String> = [
    "description", "beschreibung", "descripción", "descrição", "descrizione", "beschrijving", "beskrivning",
    "beskrivelse", "kuvaus", "opis", "popis", "описание",
  ]

  /// True for the text of a task without a title, which is a longer text beside a title.
  static func isContent(_ name: String) -> Bool { plain(name) == "content" }

  /// True for the name of a column that tells about a task, and is neither its text nor another common field.
  static func isOther(_ name: String) -> Bool { others.contains(plain(name)) }
  private static let others: Set<String> = [
    "owner", "assignee", "assigned to", "responsible", "author", "creator", "created by", "reporter", "user", "who",
    "project", "list", "list name", "folder", "section", "bucket", "board", "area", "category", "type", "kind", "id",
    "email", "company", "contact", "location", "place", "state", "wer", "zuständig", "verantwortlich", "projekt",
    "liste", "ordner", "bereich", "ort", "responsable", "projet", "proyecto", "lista", "projeto", "progetto",
    "responsabile", "verantwoordelijke", "ansvarig", "ansvarlig", "lijst", "проект", "список", "担当者", "负责人",
  ]

  static func isPercentage(_ name: String) -> Bool { percentages.contains(plain(name)) }

  /// The columns that say whether a task is done, in the order in which they count.
  static func completions(in names: [String]) -> [String] {
    let usual = names.filter(isCompletion)
    let states = usual.filter { plain($0) == "status" }
    return usual.filter { !states.contains($0) } + states
      + names.filter { !isCompletion($0) && ForeignNames.field(of: $0) == .completed } + names.filter(isPercentage)
  }

  private static func best(_ names: [String], _ usual: Set<String>, exact: String) -> [String] {
    let candidates = names.filter { usual.contains(plain($0)) }
    let named = candidates.filter { plain($0) == exact }
    return named.count == 1 ? named : candidates
  }

  static func isCompletion(_ name: String) -> Bool { completions.contains(plain(name)) }

  /// The name in lower case, its words separated by one blank.
  static func plain(_ name: String) -> String {
    if let words = PlainWords.ascii(name, splitsCapitals: true) { return words }
    var spaced = ""
    var isBehindSmall = false
    for character in visible(name) {
      // A capital letter begins a word, as in isDone.
      if isBehindSmall, character.isUppercase { spaced.append(" ") }
      isBehindSmall = character.isLowercase
      spaced.append(character)
    }
    return spaced.lowercased().split { $0 == "_" || $0 == "-" || $0.isWhitespace }.joined(separator: " ")
  }

  /// The plain name without quotes and other signs: `due date` of `"Due (date)":`.
  static func bare(_ name: String) -> String {
    PlainWords.ascii(name, splitsCapitals: true, passesSigns: true)
      ?? plain(String(name.map { $0.isLetter || $0.isNumber ? $0 : " " }))
  }

  /// The name without the characters that nobody sees, such as U+200B and U+FEFF, and without spaces around it.
  static func visible(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
    guard !isPlain else { return name[...].trimmed }
    var scalars = name.unicodeScalars.filter { !isInvisible($0) }[...]
    // Within a word, these two join or part letters.
    scalars = scalars.drop { $0 == "\u{200C}" || $0 == "\u{200D}" }
    while let last = scalars.last, last == "\u{200C}" || last == "\u{200D}" { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))[...].trimmed
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Soft hyphen, marks of direction, zero width space, word joiner, byte order mark.
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
