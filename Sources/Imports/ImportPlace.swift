package import Accounts
package import HostLoop
import ImportEngine
import JSON
package import TaskAPI

/// The place to which an import adds tasks: the task API for an account, or a task service.
@HostActor
package enum ImportPlace {
  case api(TaskAPIClient, Account)
  case service(any DeclaredService)

  /// The account or the service, for another machine.
  var json: JSON {
    switch self {
    case .api(_, let account): ["account": .string(account.id)]
    case .service(let service): ["service": .string(service.name)]
    }
  }

  /// The name of the service for messages.
  var name: String { if case .service(let service) = self { service.name } else { "the task API" } }

  /// The reason why nothing is removed here; nil if tasks can be removed.
  var removalRefusal: String? { service.canRemove ? nil : "\(name) removes no tasks; complete it instead" }

  /// The account or the service for a plan, which is carried out at this place alone.
  var planned: [String: JSON] {
    switch self {
    case .api: json.object ?? [:]
    case .service(let service): service.place
    }
  }

  /// The fields of a task with the ID of its list, as answers have it.
  func resolved(_ draft: TaskDraft) async throws -> [String: JSON] {
    switch self {
    case .api(let client, _): try await client.resolved(draft.fields)
    case .service(let service): try await service.resolved(draft.fields, listID: draft.listID)
    }
  }

  /// The names of the fields that a task keeps from its beginning.
  func fixedFields() async throws -> [String] {
    if case .service(let service) = self { try await service.fixedFields() } else { [] }
  }

  var service: any TaskService {
    switch self {
    case .api(let client, _): client
    case .service(let service): service
    }
  }

  func identity(of path: String?, named name: String, _ imports: RunImports) throws -> ImportIdentity {
    switch self {
    case .api(_, let account): try imports.identity(of: path, named: name, for: account)
    case .service(let service): RunImports.identity(of: path, named: name, forService: service.identity)
    }
  }

  /// True if a later run could go on with the import.
  func keepsTasks(_ imports: RunImports) throws -> Bool {
    switch self {
    case .api: try imports.keepsTasks()
    case .service: true
    }
  }

  /// The options of an import as the service needs them.
  func fit(_ options: ImportOptions, isConcurrencyGiven: Bool) -> ImportOptions {
    guard case .service(let service) = self else { return options }
    var options = options
    let declared = service.terms
    let most = isConcurrencyGiven ? min(options.concurrency.upperBound, declared.concurrency) : declared.concurrency
    options.concurrency = min(options.concurrency.lowerBound, most)...most
    if declared.interval > 0 {
      let rate = Double(declared.batch) / declared.interval
      options.rate = min(options.rate ?? rate, rate)
    }
    options.keys.areHonored = declared.idempotency != .none
    switch declared.idempotency {
    case .key, .none: options.keys.repetition = .key
    case .ownID: options.keys.repetition = .ownID
    case .find: options.keys.repetition = .find
    }
    return options
  }
}
