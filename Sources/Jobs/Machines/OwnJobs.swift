import HostLoop

/// The jobs of one of several machines, which it reads while no machine plans.
@HostActor
final class OwnJobs {
  private let definitions: @HostActor () async throws -> [JobDefinition]
  /// Reads the digests of the scripts, by the names of the jobs.
  let digests: @HostActor () throws -> [String: String]
  /// The definitions, once they are read.
  private(set) var read: [JobDefinition]?
  private(set) var isReading = false
  /// True if a script may have changed since it was read.
  private var isStale = false

  init(
    _ definitions: @escaping @HostActor () async throws -> [JobDefinition],
    _ digests: @escaping @HostActor () throws -> [String: String]
  ) {
    self.definitions = definitions
    self.digests = digests
  }

  func forget() { read = nil }

  /// The scripts have changed.
  func change() {
    read = nil
    isStale = true
  }

  func readAll() async throws {
    guard !isReading else { return }
    isReading = true
    defer { isReading = false }
    repeat {
      isStale = false
      read = try await definitions()
    } while isStale
  }
}
