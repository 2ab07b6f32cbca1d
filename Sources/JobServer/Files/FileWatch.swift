import Core
import Files
import Glibc
package import HostLoop
import JSON
package import Jobs
package import Permissions

/// Tells a job host of complete files that match the patterns of its jobs. inotify(7) says when to look. Since it says
/// nothing on network file systems, the watch also looks every half minute. Threads look, each for one job: see `FileWalk`.
@HostActor
package final class FileWatch: DescriptorHandler {
  /// In seconds.
  private static let quiet = 1.0
  private static let pause = 30.0
  /// The jobs whose files are looked for at once, besides those whose file system does not answer.
  private static let width = 4
  private static let mostThreads = 32
  /// The files of one event. The next events have the others.
  private static let mostFiles = 1000
  /// The files that are not complete yet, if a look could not see all.
  private static let mostGrowing = 50_000
  /// The problems of a job that are told.
  private static let mostProblems = 100

  /// The knowledge about the files of a job.
  private struct Look {
    /// When to look, by `HostLoop.uptime`.
    var next = 0.0
    /// Since when a thread looks, by the same clock; nil if none does.
    var began: Double?
    /// True if something happened since then.
    var isDirty = false
    /// The seconds that the last look took.
    var length = 0.0
    /// The files that are not complete yet, with the time since which they have not changed.
    var growing: [[UInt8]: (status: JobStore.SeenFile, since: Double)] = [:]
    var watches: Set<Int32> = []
    /// The problems that were told.
    var problems: Set<String> = []

    /// Folders in which something happens all the time take a fifth of the time at most.
    var shortestPause: Double { max(0.05, 4 * length) }
  }

  private let host: JobHost
  /// The files that flags, such as `--allow-read=inbox`, open to a job.
  private let rules: @HostActor ([String]) -> FileRules
  private let descriptor: Int32
  private var looks: [String: Look] = [:]
  /// When the jobs were taken over, by `HostLoop.uptime`.
  private var loaded = 0.0
  /// The watches of all jobs, with those that are not needed any more.
  private var watches: Set<Int32> = []
  private var timer: TimerQueue.ID?
  private var isClosed = false

  package init(_ host: JobHost, rules: @escaping @HostActor ([String]) -> FileRules) {
    self.host = host
    self.rules = rules
    // The break of a lease sends this signal.
    signal(SIGIO, SIG_IGN)
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor >= 0 { HostLoop.shared.watch(descriptor, for: .read, by: self) }
  }

  package func close() {
    isClosed = true
    if let timer { HostLoop.shared.cancel(timer) }
    guard descriptor >= 0 else { return }
    HostLoop.shared.unwatch(descriptor)
    // A thread that still looks would take the next file of this number for it.
    if looks.values.allSatisfy({ $0.began == nil }) { Glibc.close(descriptor) }
  }

  /// Takes over the patterns of the jobs and what they may read, and looks for files.
  package func load() {
    takeOver()
    for job in looks.keys { looks[job]?.next = 0 }
    go()
  }

  private func takeOver() {
    let jobs = host.jobsWithFiles
    looks = looks.filter { jobs.contains($0.key) }
    for job in jobs where looks[job] == nil { looks[job] = Look() }
    loaded = HostLoop.uptime
    removeWatches()
  }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    var changed: Set<Int32> = []
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      bytes.withUnsafeBytes { events in
        var place = 0
        while place + MemoryLayout<inotify_event>.size <= count {
          let event = events.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          changed.insert(event.wd)
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    // After an overflow of the queue, no watch is named.
    let isAny = changed.contains(-1)
    for (job, look) in looks where isAny || !look.watches.isDisjoint(with: changed) {
      looks[job]?.isDirty = true
      looks[job]?.next = min(look.next, HostLoop.uptime + look.shortestPause)
    }
    go()
  }

  /// Looks for the files of the jobs whose time has come, and plans the next time.
  private func go() {
    guard !isClosed else { return }
    let now = HostLoop.uptime
    // Permissions may come and go on another machine.
    if now - loaded >= Self.pause { takeOver() }
    let walks = looks.values.compactMap(\.began)
    var free = min(
      Self.width - walks.count { now - $0 < Self.pause }, Self.mostThreads - walks.count)
    var next = now + Self.pause
    for (job, look) in looks.sorted(by: { ($0.value.next, $0.key) < ($1.value.next, $1.key) }) {
      if let began = look.began {
        if now - began >= Self.pause { tell(job, "the file system does not answer") }
      } else if look.next > now || free <= 0 {
        next = min(next, max(look.next, now + 0.05))
      } else {
        free -= 1
        looks[job]?.began = now
        looks[job]?.isDirty = false
        HostActor.task { await self.look(for: job) }
      }
    }
    if let timer { HostLoop.shared.cancel(timer) }
    timer = HostLoop.shared.schedule(after: max(0, next - now)) { [weak self] in self?.go() }
  }

  private func look(for job: String) async {
    let walk = FileWalk(patterns: host.filePatterns(of: job), rules: rules(host.granted(to: job)), watcher: descriptor)
    let found = await walk.resultOnThread()
    guard !isClosed, let began = looks[job]?.began else { return }
    watches.formUnion(found.watches)
    looks[job]?.watches = found.watches
    for problem in found.problems { tell(job, problem) }
    let isGrowing = await take(found, for: job)
    guard var look = looks[job] else { return }
    look.began = nil
    look.length = HostLoop.uptime - began
    let pause = isGrowing ? max(Self.quiet, look.shortestPause) : look.isDirty ? look.shortestPause : Self.pause
    look.next = HostLoop.uptime + pause
    looks[job] = look
    removeWatches()
    go()
  }

  /// Makes an event of the files that are complete. Returns whether there are files that are not complete yet.
  private func take(_ found: FileWalk.Result, for job: String) async -> Bool {
    guard var look = looks[job] else { return false }
    var complete: [(path: String, status: JobStore.SeenFile)] = []
    var isGrowing = false
    let now = HostLoop.uptime
    do {
      let seen = try await host.store.files(of: job)
      var there: Set<[UInt8]> = []
      var paths: Set<FilePath> = []
      for match in found.matches {
        let path = String(pathBytes: match.path)
        if let problem = StoredName.problem(path) {
          tell(job, "it does not start for \(path.displayable.clipped(to: 60)): the path \(problem)")
          continue
        }
        there.insert(match.path)
        paths.insert(FilePath(path))
        if seen[FilePath(path)] == match.status {
          look.growing[match.path] = nil
          continue
        }
        guard let before = look.growing[match.path], before.status == match.status, !match.isWritten else {
          look.growing[match.path] = (match.status, now)
          isGrowing = true
          continue
        }
        if now - before.since >= Self.quiet, complete.count < Self.mostFiles {
          complete.append((path, match.status))
        } else {
          isGrowing = true
        }
      }
      // Whoever has not seen all files does not know which ones are gone.
      let gone = found.isComplete ? seen.keys.filter { !paths.contains($0) }.map(\.text) : []
      if found.isComplete || look.growing.count > Self.mostGrowing {
        look.growing = look.growing.filter { there.contains($0.key) }
      }
      looks[job]?.growing = look.growing
      guard !complete.isEmpty || !gone.isEmpty else { return isGrowing }
      let files = complete
      _ = try await host.perform { try await $0.filesCame(job, files, gone: gone) }
    } catch {
      // The machine that plans looks for them, or this one does when the database is back.
      guard host.isPlanning, !host.noteOutage(error) else { return isGrowing }
      host.log(.error, "the files of the job \(job) cannot be looked for: \(error)")
    }
    return isGrowing
  }

  private func tell(_ job: String, _ problem: String) {
    guard looks[job]?.problems.count ?? 0 < Self.mostProblems, looks[job]?.problems.insert(problem).inserted == true
    else { return }
    host.log(.error, "the files of the job \(job): \(problem)")
  }

  /// Removes the watches that no job needs. A thread that looks may be about to need one.
  private func removeWatches() {
    guard looks.values.allSatisfy({ $0.began == nil }) else { return }
    let needed = looks.values.reduce(into: Set<Int32>()) { $0.formUnion($1.watches) }
    for watch in watches.subtracting(needed) { inotify_rm_watch(descriptor, watch) }
    watches = needed
  }
}
