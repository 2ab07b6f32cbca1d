import Core
package import Files
import Glibc
import HostLoop

extension Permissions {
  /// The use of a file.
  package struct FileUse: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let read = FileUse(rawValue: 1)
    package static let write = FileUse(rawValue: 2)
    /// The name itself, not what it leads to where it is a link: removed, or given to something else.
    package static let entry = FileUse(rawValue: 4)
  }

  /// A file that may be used.
  package struct File: Sendable {
    package let path: ResolvedPath
    /// True if the path is opened as it was given: everything is allowed, or only the kernel knows where it leads.
    package let isUnrestricted: Bool
    /// True if a person typed the path: then it may be a device or a file of the kernel.
    var isTyped = false
    /// True for a part of the script itself, which a replay takes as it is now.
    var isCode = false
    let given: ResolvedPath.Bytes

    /// Opens the file that was checked. A link that has come into its way meanwhile is not followed. A replay gets the
    /// contents that the recorded run has read.
    package func open(_ opening: Opening) throws(FileFailure) -> OpenFile {
      guard let tape = CurrentTape.value, opening.reads, !opening.writes, !isCode else { return try openNow(opening) }
      return try KeptFile(file: self, opening: opening).open(tape)
    }

    func openNow(_ opening: Opening) throws(FileFailure) -> OpenFile {
      if isUnrestricted { return try OpenFile(given, opening) }
      if path.isNowhere { throw FileFailure(number: ENOENT) }
      let file = try OpenFile(exact: path.bytes, opening)
      guard isTyped || !file.isOfSystem else { throw Self.closed }
      return file
    }

    /// Holds open the folder that the checked name is in, to remove, move or replace what has that name.
    package func entry() throws(FileFailure) -> FolderEntry {
      if isUnrestricted { return try FolderEntry(given: given) }
      if path.isNowhere { throw FileFailure(number: ENOENT) }
      let entry = try FolderEntry(exact: path.bytes)
      guard isTyped || !entry.isOfSystem else { throw Self.closed }
      return entry
    }

    /// The file system of the kernel is mounted at a place that the path does not tell.
    private static let closed = FileFailure(
      number: EACCES, "it is a device or a file of the kernel, which are closed to scripts")
  }

  /// The door to every file that a script names: the path is resolved and checked, and the file that was checked is opened, in
  /// one step. Nothing else opens such a path, so that no second look at it can find another file.
  /// - Throws: `PermissionDenied`; `FileFailure` where the file cannot be opened.
  package func open(_ path: ResolvedPath.Bytes, for opening: Opening, by call: String) throws -> OpenFile {
    var use: FileUse = opening.reads ? .read : []
    if opening.writes { use.insert(.write) }
    return try check(path, use, by: call).open(opening)
  }

  /// `path` is as the script gave it; `call` is who wants that, for messages: `io.open`.
  package func check(_ path: ResolvedPath.Bytes, _ use: FileUse, by call: String) throws(PermissionDenied) -> File {
    let resolved = ResolvedPath(path, from: base, followsLast: !use.contains(.entry))
    let isCode = call == "require"
    if grants.allowsEverything { return File(path: resolved, isUnrestricted: true, isCode: isCode, given: path) }
    // Some functions read a path up to the NUL, others all of it: that would be two paths.
    let obstacle: Access.Obstacle? = path.contains(0) ? .cutShort : ResolvedPath.isTooLong(path) ? .tooLong : nil
    if let obstacle {
      let text = String(pathBytes: obstacle == .tooLong ? path.prefix(64) : path[...])
      let shown = obstacle == .tooLong ? text + "…" : text
      throw denial(of: Access(use.contains(.write) ? .write : .read, shown, value: nil, call: call, obstacle: obstacle))
    }
    let unresolved = { [base] in ResolvedPath(unresolved: path, from: base) }
    if use.contains(.read) { try check(resolved, .read, use, by: call, unresolved) }
    if use.contains(.write) { try check(resolved, .write, use, by: call, unresolved) }
    // Only the kernel knows the file behind a link of /proc, such as /dev/stdin.
    let isTyped = typed.contains(resolved)
    return File(
      path: resolved, isUnrestricted: resolved.isByProcess && isTyped, isTyped: isTyped, isCode: isCode, given: path)
  }

  /// A file that the call is about to write, or will at its end.
  /// - Returns: where, which stays the file that was looked at, whatever is moved meanwhile.
  package func write(_ path: String, by call: String) throws(PermissionDenied) -> OutputPlace {
    let file = try check(path.pathBytes, .write, by: call)
    return file.isUnrestricted ? OutputPlace(path) : OutputPlace(path, exact: file.path.bytes)
  }

  /// A file that the call is about to write beside `source`, of a name that was not given to it. Who typed the source
  /// behind a command that ships with the host is not asked. What is no file, or a link, stays as it is.
  package func write(
    _ path: String, beside source: String, by call: String
  ) throws(PermissionDenied) -> OutputPlace {
    let file = try check(path.pathBytes, [.write, .entry], besideTyped: source.pathBytes, by: call)
    return OutputPlace(path, exact: file.path.bytes, isFile: true)
  }

  /// The same for a file beside one that may be read: if a person typed that one for a stock command, nothing is asked.
  package func check(
    _ path: ResolvedPath.Bytes, _ use: FileUse, besideTyped source: ResolvedPath.Bytes, by call: String
  ) throws(PermissionDenied) -> File {
    guard typed.contains(ResolvedPath(source, from: base)) else { return try check(path, use, by: call) }
    return File(
      path: ResolvedPath(path, from: base, followsLast: !use.contains(.entry)), isUnrestricted: false, given: path)
  }

  private func check(
    _ path: ResolvedPath, _ permission: Permission, _ use: FileUse, by call: String,
    _ unresolved: () -> ResolvedPath
  ) throws(PermissionDenied) {
    if isGranted(path, permission, use) { return }
    let obstacle = rules.obstacle(to: path, permission, use)
    let access = Access(
      permission, path.text, value: path.text, unresolved: unresolved().text, call: call, obstacle: obstacle)
    try demand(access, about: path.bytes)
  }

  /// True if a file may be used without asking anybody.
  package func isAllowed(_ path: ResolvedPath.Bytes, _ use: FileUse) -> Bool {
    if grants.allowsEverything { return true }
    let resolved = ResolvedPath(path, from: base, followsLast: !use.contains(.entry))
    return [(FileUse.read, Permission.read), (.write, .write)].allSatisfy { part, permission in
      !use.contains(part) || isGranted(resolved, permission, use)
    }
  }

  private func isGranted(_ path: ResolvedPath, _ permission: Permission, _ use: FileUse) -> Bool {
    rules.isGranted(path, permission, use)
  }
}

extension Permissions {
  /// Lets everything below a folder be read, such as the script's own.
  package func allowReading(below folder: String) { paths[.read, default: []].append(ResolvedPath(folder, from: base)) }

  /// Lets exactly the files be read and written whose paths a person typed behind a command that ships with the host, and the
  /// plans beside them; see `TypedFiles`.
  package func allow(typed words: [String]) {
    isOfStockCommand = true
    for word in words {
      typed.insert(ResolvedPath(word, from: base))
      // A side of a sync: file:list.csv.
      if word.hasPrefix("file:") { typed.insert(ResolvedPath(String(word.dropFirst(5)), from: base)) }
      if let path = ArchivePath(word) { typed.insert(ResolvedPath(path.archive, from: base)) }
      // Also behind an option's name.
      if word.hasPrefix("--"), let sign = word.firstIndex(of: "=") {
        typed.insert(ResolvedPath(String(word[word.index(after: sign)...]), from: base))
      }
    }
  }

  /// Keeps scripts away from what is the host's own, unless everything is allowed. Said once, before a script runs.
  /// Files in the folders `open` may be read like others; `beginnings` are how the paths of further files begin.
  package func protect(_ paths: [String], open: [String] = [], beginnings: [String] = []) {
    protected = { [base] in HostFiles(paths: paths, open: open, beginnings: beginnings, base: base) }
  }
}
