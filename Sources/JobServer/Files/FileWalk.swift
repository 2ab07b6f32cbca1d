import Core
import FilePatterns
import Files
import Glibc
import HostLoop
import Jobs
import Permissions

/// A look at the files that match the patterns of a job. It runs on a thread of its own, where a slow file system holds up
/// nobody, and opens each folder and each file by the permissions of the job.
struct FileWalk: Sendable {
  struct Limits: Sendable {
    /// The names of folders that are looked at.
    var names = 100_000
    /// The files that match.
    var files = 20_000
    /// The folders that inotify(7) watches.
    var folders = 1000
    var seconds = 10.0
  }

  /// A file that matches now.
  struct Match: Sendable {
    /// The path as the pattern begins.
    let path: [UInt8]
    let status: JobStore.SeenFile
    /// True if a process has the file open for writing.
    let isWritten: Bool
  }

  struct Result: Sendable {
    fileprivate(set) var matches: [Match] = []
    /// False if there may be more files than these.
    fileprivate(set) var isComplete = true
    /// The problems, for a person: bounds, and files that the job may not read.
    fileprivate(set) var problems: [String] = []
    /// The numbers of the watches of inotify(7).
    fileprivate(set) var watches: Set<Int32> = []
  }

  let patterns: [FilePattern]
  let rules: FileRules
  /// The descriptor of inotify(7); negative for none.
  let watcher: Int32
  var limits = Limits()

  /// The result. Blocks the thread, for some longer than the limit in seconds if the file system does not answer.
  func result() -> Result {
    var walker = Walker(walk: self, end: HostLoop.uptime + limits.seconds)
    for pattern in patterns {
      walker.watchParents(of: pattern)
      walker.walk([], pattern.parts[...], pattern)
    }
    return walker.result
  }

  /// The same for the host, whose actor does not wait.
  @HostActor
  func resultOnThread() async -> Result {
    let wait = CancellableWait<Result>()
    let thread = SystemThread.start(stackSize: 1 << 20) { [self] in
      let found = result()
      HostActor.task { wait.finish(.success(found)) }
    }
    var none = Result()
    (none.isComplete, none.problems) = (false, ["the system has no thread for it"])
    return thread == nil ? none : (try? await wait.value()) ?? none
  }
}

private struct Walker {
  let walk: FileWalk
  /// By `HostLoop.uptime`.
  let end: Double
  var result = FileWalk.Result()
  private var names = 0
  private var isOver = false
  private var found: Set<[UInt8]> = []
  /// The problems of files that one look tells.
  private static let mostProblems = 20

  init(walk: FileWalk, end: Double) {
    self.walk = walk
    self.end = end
  }

  /// Goes on below `path`, the beginning of a path as the pattern has it.
  mutating func walk(_ path: [UInt8], _ parts: ArraySlice<FilePattern.Part>, _ pattern: FilePattern) {
    guard !isOver, let part = parts.first else { return }
    let rest = parts.dropFirst()
    switch part {
    case .name(let name):
      let next = parts.startIndex == pattern.parts.startIndex ? name : path + [UInt8(ascii: "/")] + name
      if rest.isEmpty { look(at: next, pattern) } else { walk(next, rest, pattern) }
    case .pattern(let wanted):
      let isFirst = parts.startIndex == pattern.parts.startIndex
      let folder = isFirst ? [UInt8(ascii: ".")] : path.isEmpty ? [UInt8(ascii: "/")] : path
      for name in entries(of: folder, pattern, areFolders: !rest.isEmpty)
      where wanted.matches(name) && (pattern.namesFailedRows || !FilePattern.isOfFailedRows(name)) {
        let next = isFirst ? name : path + [UInt8(ascii: "/")] + name
        if rest.isEmpty { look(at: next, pattern) } else { walk(next, rest, pattern) }
      }
    }
  }

  /// The names in a folder that the job may read, sorted. Files are left out where only folders count.
  private mutating func entries(of path: [UInt8], _ pattern: FilePattern, areFolders: Bool) -> [[UInt8]] {
    guard let folder = self.open(path, .listing, pattern) else { return [] }
    watch("/proc/self/fd/\(folder.descriptor)")
    guard let descriptor = try? folder.duplicate() else {
      result.isComplete = false
      return []
    }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return []
    }
    defer { closedir(stream) }
    var entries: [[UInt8]] = []
    while !isOver {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { result.isComplete = false }
        break
      }
      names += 1
      guard isWithin(pattern) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == Array(".".utf8) || name == Array("..".utf8) { continue }
      if areFolders, Int(entry.pointee.d_type) == DT_REG { continue }
      entries.append(name)
    }
    return entries.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Adds a regular file that the job may read, also behind a link.
  private mutating func look(at path: [UInt8], _ pattern: FilePattern) {
    guard isWithin(pattern), !found.contains(path), let file = self.open(path, .reading, pattern),
      let status = try? file.status()
    else { return }
    guard result.matches.count < walk.limits.files else {
      return stop("more than \(walk.limits.files) files match \(pattern.text): move files away that are done with")
    }
    found.insert(path)
    let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    result.matches.append(
      FileWalk.Match(
        path: path,
        status: JobStore.SeenFile(
          inode: Int64(bitPattern: UInt64(status.st_ino)), size: Int64(status.st_size), modified: modified),
        isWritten: Self.isWritten(file.descriptor)))
  }

  /// Nil for what is not there, is of another kind, or is closed to the job.
  private mutating func open(_ path: [UInt8], _ opening: Opening, _ pattern: FilePattern) -> OpenFile? {
    do { return try walk.rules.open(path, for: opening, by: "on.files") } catch let failure as FileFailure {
      // An error of another kind hides files that are still there.
      if ![ENOENT, ENOTDIR, EISDIR, EINVAL, ENXIO, EACCES, ELOOP].contains(failure.number) {
        result.isComplete = false
      }
    } catch {
      let decision = (error as? PermissionDenied).flatMap { PermissionDenied.decision(of: $0)?.message.text }
      if result.problems.count < Self.mostProblems { result.problems.append(decision ?? "\(error)") }
    }
    return nil
  }

  /// False if a limit has been reached, which ends the walk.
  private mutating func isWithin(_ pattern: FilePattern) -> Bool {
    if isOver { return false }
    if names > walk.limits.names {
      stop("\(pattern.text) leads through more than \(walk.limits.names) names: give a narrower pattern")
    } else if HostLoop.uptime > end {
      stop("\(pattern.text) takes longer than \(Int(walk.limits.seconds)) s: give a narrower pattern")
    }
    return !isOver
  }

  private mutating func stop(_ problem: String) {
    isOver = true
    result.isComplete = false
    result.problems.append("\(problem); other files start nothing")
  }

  // MARK: Watches

  /// The folders above the place of a pattern, which may come, go and be replaced. Nobody lists them.
  mutating func watchParents(of pattern: FilePattern) {
    var path = pattern.text.hasPrefix("/") ? "/" : "."
    watch(path)
    for name in pattern.place.split(separator: "/") {
      path += path == "/" ? String(name) : "/\(name)"
      watch(path)
    }
  }

  private mutating func watch(_ folder: String) {
    guard walk.watcher >= 0, result.watches.count < walk.limits.folders else { return }
    let mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB
    let watch = inotify_add_watch(walk.watcher, folder, UInt32(mask | IN_ONLYDIR))
    if watch >= 0 { result.watches.insert(watch) }
  }

  /// `F_SETLEASE` of Linux, which the C library shows to GNU sources only. A lease for reading is refused while the file
  /// is open for writing (fcntl(2)). It needs the file's owner; for files of others nobody can tell.
  private static func isWritten(_ descriptor: Int32) -> Bool {
    let setLease: Int32 = 1024
    guard fcntl(descriptor, setLease, Int32(F_RDLCK)) == 0 else { return errno == EAGAIN }
    _ = fcntl(descriptor, setLease, Int32(F_UNLCK))
    return false
  }
}
