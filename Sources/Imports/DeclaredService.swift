package import HostLoop
package import JSON
package import TaskAPI

/// A task service of a plugin or a stock script, with the terms of its declaration.
@HostActor
package protocol DeclaredService: TaskService {
  /// The name by which the settings know it.
  var name: String { get }
  /// The name of the service and its options without secrets, which tell two services apart.
  var identity: String { get }
  var terms: ServiceTerms { get }
  /// The way to the service for another run: its name, the options that a script has given, and the account.
  var place: [String: JSON] { get }

  /// The fields with the ID of a list in the place of its name, as answers have it.
  /// - Parameter listID: an ID that the source has for the list; it counts if the service has a list with it.
  func resolved(_ fields: [String: JSON], listID: String?) async throws -> [String: JSON]

  /// The names of the fields that a task keeps from its beginning.
  func fixedFields() async throws -> [String]
}

/// The requests that a task service takes, and what it promises about them.
package struct ServiceTerms: Sendable {
  /// The way in which the service is asked for a task a second time without making another one.
  package enum Idempotency: String, CaseIterable, Sendable {
    case key
    case ownID = "own_id"
    case find
    case none
  }

  /// The most tasks in one request.
  package let batch: Int
  package let concurrency: Int
  /// Seconds between two requests that add tasks.
  package let interval: Double
  package let idempotency: Idempotency

  package init(batch: Int, concurrency: Int, interval: Double, idempotency: Idempotency) {
    self.batch = batch
    self.concurrency = concurrency
    self.interval = interval
    self.idempotency = idempotency
  }
}
