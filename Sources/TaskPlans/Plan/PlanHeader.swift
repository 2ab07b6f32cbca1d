import ImportFormats
package import JSON

/// The facts about a plan besides its rows.
package struct PlanHeader: Sendable, Equatable {
  /// The kind of change that the plan makes.
  package enum Kind: String, Sendable, CaseIterable {
    /// Rows of a source become tasks.
    case `import`
    /// An earlier change is taken back.
    case undo
    /// Several tasks are changed alike, such as by `tasks.remove` with a list of tasks.
    case tasks
    /// One side of a synchronization gets the changes of the other one.
    case sync
  }

  package var kind: Kind
  /// A random name of the plan: 12 characters.
  package var id: String
  /// Unix seconds.
  package var created: Int
  /// The source for people: the path of a file, or a sentence such as `the undo of 3f9a…`.
  package var source: String
  /// The identity of the account, and its name for people; see `ImportIdentity`.
  package var account: String
  package var accountName: String
  /// The address of the task API, or the identity of the task service.
  package var api: String
  /// The way to the account and the service, as `ImportPlace.json` has it: for `--apply`, which names neither.
  package var place: [String: JSON] = [:]
  /// The column of the source that tells tasks apart, and the field of the task that keeps its value; nil for a plan without a key.
  package var keyColumn: String? {
    get { key.column }
    set { key.column = newValue }
  }
  package var keyField: String? {
    get { key.field }
    set { key.field = newValue }
  }
  /// The names of the source's columns, or of the members of its objects, in the order of the source.
  package var columns: [String] = []
  /// Sentences about the service that a person should know before the plan is applied: what it does not keep, that it has no
  /// versions of tasks, what it cannot change or remove.
  package var notes: [String] = []
  /// The ID of the import or change that the plan takes back; nil for another plan.
  package var undoes: String?

  private var key = Key()

  private struct Key: Equatable {
    var column: String?
    var field: String?
  }

  /// A new name for a plan.
  package static func makeID() -> String { String(ImportID.random().prefix(12)) }

  package init(
    _ kind: Kind, id: String, created: Int, source: String, account: String, accountName: String, api: String
  ) {
    self.kind = kind
    self.id = id
    self.created = created
    self.source = source
    self.account = account
    self.accountName = accountName
    self.api = api
  }
}
