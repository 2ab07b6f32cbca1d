import HostLoop
import JobProcesses
import JobServer
import Jobs

/// The names of the jobs in the usual folder, for completion.
package enum JobNames {
  /// The names of the jobs.
  package static var jobs: [String] {
    guard let folder = try? JobsPlace().folder else { return [] }
    return (try? JobFolder.names(in: folder)) ?? []
  }

  /// The numbers of the runs.
  @HostActor
  package static func runs() async -> [String] {
    guard let place = try? JobsPlace(), place.state.hasDatabase, let store = try? place.state.open(mustExist: true)
    else { return [] }
    return ((try? await store.runs(JobStore.Filter())) ?? []).map { String($0.id) }
  }
}
