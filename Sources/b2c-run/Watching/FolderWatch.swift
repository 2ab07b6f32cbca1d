import CommandLine
import Core
import Files
import Glibc
import HostLoop

/// Tells of changed files in folders and below, until the process ends. A script may keep the host's thread to itself,
/// so this has its own.
final class FolderWatch: Sendable {
  /// Folders that are watched; those furthest down are left out.
  static let mostFolders = 2000

  /// The folders by their watch descriptors; touched on the thread only.
  private let folders: Locked<[Int32: String]>
  private let descriptor: Int32
  private let onChange: @Sendable (_ paths: [String]) -> Void

  /// - Parameter onChange: called on another thread once nothing has changed for a moment.
  /// - Throws: `UsageError` for a folder that cannot be watched.
  init(_ roots: [String], onChange: @escaping @Sendable (_ paths: [String]) -> Void) throws(UsageError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    self.onChange = onChange
    folders = Locked([:])
    for root in roots {
      guard descriptor >= 0, add(root) else {
        throw UsageError("--watch: cannot watch \(root): \(String(cString: strerror(errno)))")
      }
    }
    addBelow(roots)
    guard SystemThread.start({ self.watch() }) != nil else {
      throw UsageError("--watch: the system has no thread left")
    }
  }

  private func watch() {
    var changed: [String] = []
    while true {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // An editor saves in several steps, and a tool may write many files.
      switch poll(&ready, 1, changed.isEmpty ? -1 : 100) {
      case 0:
        onChange(changed)
        changed = []
      case 1...: for path in read() where !changed.contains(path) { changed.append(path) }
      default: if errno != EINTR { return }
      }
    }
  }

  private func read() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    var paths: [String] = []
    var offset = 0
    let header = MemoryLayout<inotify_event>.size
    while offset + header <= count {
      let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
      let name = bytes[(offset + header)..<(offset + header + Int(event.len))].prefix { $0 != 0 }
      offset += header + Int(event.len)
      guard let folder = folders.withLock({ $0[event.wd] }) else { continue }
      let path = Self.path(folder, String(pathBytes: name))
      if event.mask & UInt32(IN_ISDIR) != 0 {
        // No event told of the files that came into a new folder before it was watched.
        if !Self.isHidden(path), add(path) { paths += files(in: [path] + addBelow([path])) }
      } else if event.mask & UInt32(IN_CREATE) == 0, Self.isOfInterest(path) {
        paths.append(path)
      }
    }
    return paths
  }

  private func add(_ folder: String) -> Bool {
    let mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
    let watch = folder.withPath { inotify_add_watch(descriptor, $0, UInt32(mask | IN_CREATE | IN_ONLYDIR)) }
    if watch >= 0 { folders.withLock { $0[watch] = folder } }
    return watch >= 0
  }

  /// The nearest first. Returns the folders that are watched now.
  @discardableResult
  private func addBelow(_ roots: [String]) -> [String] {
    var queue = roots[...]
    var added: [String] = []
    while let folder = queue.popFirst(), folders.withLock({ $0.count }) < Self.mostFolders {
      // Without hidden ones and links, which may lead back.
      for name in Self.names(in: folder, S_IFDIR) where !Self.isHidden(name) {
        let path = Self.path(folder, name)
        guard add(path) else { continue }
        queue.append(path)
        added.append(path)
      }
    }
    return added
  }

  private func files(in folders: [String]) -> [String] {
    folders.flatMap { folder in
      Self.names(in: folder, S_IFREG).map { Self.path(folder, $0) }.filter(Self.isOfInterest)
    }
  }

  private static func names(in folder: String, _ kind: mode_t) -> [String] {
    let names = (try? FileSystem.names(in: folder)) ?? []
    return names.filter { FileSystem.kind(of: path(folder, $0), followsLink: false) == kind }.sorted()
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func isHidden(_ path: String) -> Bool { path.split(separator: "/").last?.hasPrefix(".") ?? false }

  /// Not what editors write beside the file.
  private static func isOfInterest(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return !isHidden(path) && !name.hasPrefix("#") && !name.hasSuffix("~") && !name.allSatisfy(\.isNumber)
  }
}
