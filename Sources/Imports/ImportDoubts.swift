import Automation
import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import ImportReport

/// The questions of an import before its first request: is the file what it seems, and were its rows imported before? On
/// a terminal a person decides. Without one, an error names the options that decide.
@HostActor
struct ImportDoubts {
  let identity: ImportIdentity
  private let imports: RunImports
  /// The plan as it is decided so far.
  private var plan: ImportPlan
  private let found: [ReadingDoubt]
  /// The first rows as they would be imported.
  private let preview: [String]

  init(_ imports: RunImports, _ plan: ImportPlan, _ identity: ImportIdentity, _ opened: ImportSource.Opened) {
    self.imports = imports
    self.plan = plan
    self.identity = identity
    found = opened.doubts
    preview = opened.facts.map(ReadingText.preview) ?? []
  }

  /// Returns the plan as it is decided, and the place of the journal; nil for one in memory. An import that has begun is
  /// not asked about.
  /// - Parameters:
  ///   - given: the file that the caller names.
  ///   - folder: the usual folder; nil if nobody could find an earlier import.
  ///   - isLasting: false if no later run could go on with the import.
  ///   - beginning: the first records, with the hashes of journals of earlier versions if the parameter is true.
  mutating func decide(
    at given: OutputPlace?, in folder: String?, isLasting: Bool, beginning: (Bool) throws -> [SourceRecord]
  ) throws -> (plan: ImportPlan, journal: OutputPlace?) {
    let journal = try journal(at: given, in: folder, isLasting: isLasting, beginning: beginning)
    return (plan, journal)
  }

  private mutating func journal(
    at given: OutputPlace?, in folder: String?, isLasting: Bool, beginning: (Bool) throws -> [SourceRecord]
  ) throws -> OutputPlace? {
    guard plan.files.journal == .usual, let folder else {
      if !(given.map(ImportJournal.exists) ?? false) { try settle() }
      return given
    }
    let usual = OutputPlace(ImportJournal.file(of: identity, in: folder))
    if isLasting, ImportJournal.exists(at: usual) { return usual }
    if plan.options.resume != .no,
      let earlier = try JournalShelf(folder: folder).earlier(identity, beginning: beginning)
    {
      // The journal of a source that had another name when the import began.
      let isSame = earlier.identity.map { $0.source == identity.source } ?? false
      let canGoOn = isLasting && !plan.options.isDryRun && earlier.path != nil
      if isLasting, isSame || plan.options.resume == .match, let path = earlier.path { return OutputPlace(path) }
      if try settle(earlier, canGoOn: canGoOn), let path = earlier.path {
        plan.options.resume = .match
        return OutputPlace(path)
      }
    }
    try settle()
    if isLasting, !plan.options.isDryRun { try JournalShelf(folder: folder).makeFolder() }
    return isLasting ? usual : nil
  }

  /// Asks about the doubts about the file. Throws `doubtful_file` without a yes.
  func settle() throws {
    guard !found.isEmpty, !plan.source.isAsIs else { return }
    let facts = found.map { "\(identity.sourceName): \($0.finding)" }
    guard try !isConfirmed(facts + preview, "Import it as it is?") else { return }
    throw ImportError.doubtful(identity.sourceName, found)
  }

  /// Asks about an earlier import of the same rows. Returns true if a person wants to go on with it. Throws
  /// `imported_before` without a yes.
  @discardableResult
  func settle(_ earlier: JournalSummary, canGoOn: Bool = false) throws -> Bool {
    let name = imports.isVisible(earlier) ? earlier.identity?.sourceName : nil
    let fact =
      "the first rows of \(identity.sourceName) were imported before"
      + (name.map { ", from \($0 == identity.sourceName ? earlier.identity?.source ?? $0 : $0)" } ?? "")
      + " (\(counted(earlier.counts.added, "task")) added)"
    switch try choice("\(fact.prefix(1).uppercased())\(fact.dropFirst()).", canGoOn: canGoOn) {
    case "g": return true
    case "a": return false
    default: break
    }
    var ways = ["--resume no (resume = false in a script) imports all rows as new"]
    if identity.source.hasPrefix("/"), earlier.shared == nil {
      ways.insert(
        "--resume match (resume = \"match\" in a script) continues that import, and leaves out its rows", at: 0)
    }
    throw ImportError(
      kind: .importedBefore, message: "\(fact), and this import would add them once more",
      hint: "nothing was sent: \(ways.joined(separator: "; "))")
  }

  /// The letter of the way that a person chooses; nil without a person.
  private func choice(_ fact: String, canGoOn: Bool) throws -> String? {
    let goOn = ("g", "go on with that import, and leave out its rows")
    return try imports.run.askPerson {
      $0.choose(
        [fact.displayable], (canGoOn ? [goOn] : []) + [("a", "import all rows again as new"), ("n", "import nothing")])
    }
  }

  private func isConfirmed(_ facts: [String], _ question: String) throws -> Bool {
    try imports.run.askPerson { $0.confirm(facts.map(\.displayable), question) } ?? false
  }
}
