import Core
import Glibc
package import HostLoop
import JSON

/// Tells a job host of complete files that match the patterns of its jobs. inotify(7) says when to look. Since it says
/// nothing on network file systems, the watch also looks every half minute.
@HostActor
package final class FileWatch: DescriptorHandler {
  /// In seconds.
  private static let quiet = 1.0
  private static let pause = 30.0

  private let host: JobHost
  private let descriptor: Int32
  private var patterns: [String: [FilePattern]] = [:]
  private var watched: [String: Int32] = [:]
  /// The files that are not complete yet, with the time since which they have not changed.
  private var growing: [Name: (status: JobStore.SeenFile, since: Double)] = [:]
  private var timer: TimerQueue.ID?
  private var isScanning = false
  /// The problems of files that start nothing, which were told.
  private var problems: Set<String> = []

  private struct Name: Hashable {
    let job: String
    let path: String
  }

  package init(_ host: JobHost) {
    self.host = host
    // The break of a lease sends this signal.
    signal(SIGIO, SIG_IGN)
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor >= 0 { HostLoop.shared.watch(descriptor, for: .read, by: self) }
  }

  package func close() {
    if let timer { HostLoop.shared.cancel(timer) }
    patterns = [:]
    guard descriptor >= 0 else { return }
    HostLoop.shared.unwatch(descriptor)
    Glibc.close(descriptor)
  }

  /// Takes over the patterns of the jobs, and looks for files.
  package func load() {
    patterns = host.filePatterns.mapValues { $0.map(FilePattern.init) }
    growing = growing.filter { patterns[$0.key.job] != nil }
    plan(after: 0)
  }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while read(descriptor, &bytes, bytes.count) > 0 {}
    plan(after: 0.05)
  }

  private func plan(after seconds: Double) {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = HostLoop.shared.schedule(after: seconds) { [weak self] in
      HostActor.task { await self?.look() }
    }
  }

  private func look() async {
    guard !isScanning, !patterns.isEmpty else { return }
    isScanning = true
    watchFolders()
    var isGrowing = false
    for (job, patterns) in patterns.sorted(by: { $0.key < $1.key }) {
      if await look(for: job, patterns) { isGrowing = true }
    }
    isScanning = false
    plan(after: isGrowing ? Self.quiet : Self.pause)
  }

  /// Returns whether there are files that are not complete yet.
  private func look(for job: String, _ patterns: [FilePattern]) async -> Bool {
    var complete: [FilePattern.Match] = []
    var isGrowing = false
    let now = HostLoop.uptime
    do {
      let seen = try await host.store.files(of: job)
      var paths: Set<String> = []
      for match in patterns.flatMap(\.matches) where paths.insert(match.path).inserted {
        if let problem = StoredName.problem(match.path) {
          paths.remove(match.path)
          tellOnce("the job \(job) does not start for \(match.path.displayable.clipped(to: 60)): the path \(problem)")
          continue
        }
        let name = Name(job: job, path: match.path)
        if seen[match.path] == match.status {
          growing[name] = nil
          continue
        }
        guard let before = growing[name], before.status == match.status, !match.isWritten else {
          growing[name] = (match.status, now)
          isGrowing = true
          continue
        }
        if now - before.since >= Self.quiet { complete.append(match) } else { isGrowing = true }
      }
      let gone = seen.keys.filter { !paths.contains($0) }
      for name in growing.keys where name.job == job && !paths.contains(name.path) { growing[name] = nil }
      guard !complete.isEmpty || !gone.isEmpty else { return isGrowing }
      let files = complete.map { ($0.path, $0.status) }
      guard try await host.perform({ try await $0.filesCame(job, files, gone: gone) }) else { return isGrowing }
      for match in complete { growing[Name(job: job, path: match.path)] = nil }
    } catch {
      // The machine that plans looks for them, or this one does when the database is back.
      guard host.isPlanning, !host.noteOutage(error) else { return isGrowing }
      host.onMessage?(.error, "the files of the job \(job) cannot be looked for: \(error)")
    }
    return isGrowing
  }

  private func tellOnce(_ problem: String) {
    if problems.insert(problem).inserted { host.onMessage?(.error, problem) }
  }

  private func watchFolders() {
    let folders = Set(patterns.values.flatMap { $0.flatMap(\.folders) })
    for (folder, watch) in watched where !folders.contains(folder) {
      inotify_rm_watch(descriptor, watch)
      watched[folder] = nil
    }
    let mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB
    // A folder that was removed and made again is another one.
    for folder in folders {
      let watch = inotify_add_watch(descriptor, folder, UInt32(mask | IN_ONLYDIR))
      if watch >= 0 { watched[folder] = watch }
    }
  }
}

extension Turn {
  /// Complete files have come, and others are gone. Returns false for a job that takes no events now: it gets to know of
  /// the files later.
  mutating func filesCame(_ name: String, _ files: [(path: String, status: JobStore.SeenFile)], gone: [String])
    async throws
    -> Bool
  {
    for path in gone { try await store.removeFile(path, of: name) }
    guard !files.isEmpty, let job = model.jobs[name], obstacle(job) == nil else { return false }
    for file in files { try await store.save(file.status, at: file.path, of: name) }
    try await comes(
      name, "files",
      .object([
        "files": .array(
          files.map {
            .object([
              "path": .string($0.path), "size": .integer($0.status.size),
              "modified": .number(Double($0.status.modified) / 1e9),
            ])
          })
      ]))
    return true
  }
}

extension JobHost {
  /// The patterns of files that start jobs, by the names of the jobs.
  var filePatterns: [String: [String]] {
    var patterns: [String: [String]] = [:]
    for (name, job) in model.jobs {
      for case .files(let pattern) in job.declaration?.triggers ?? [] { patterns[name, default: []].append(pattern) }
    }
    return patterns
  }
}
