package import HostLoop
package import TaskAPI

/// A task service of a plugin or a stock script, with the terms of its declaration.
@HostActor
package protocol DeclaredService: TaskService {
  /// The name by which the settings know it.
  var name: String { get }
  /// The name of the service and its options without secrets, which tell two services apart.
  var identity: String { get }
  var terms: ServiceTerms { get }
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
