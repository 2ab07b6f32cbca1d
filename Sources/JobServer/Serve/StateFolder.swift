import Core
import Crypto
import Databases
import Files
import Glibc
import HostLoop
package import Jobs

/// The folder with everything that a job host remembers.
package struct StateFolder: Sendable {
  package let path: String

  package var database: String { "\(path)/jobs.db" }
  /// The folder of the logs: a file for each run.
  package var logs: String { "\(path)/logs" }
  /// The Unix socket at which a host takes commands.
  package var socket: String { "\(path)/socket" }
  /// The file with the ID of the folder.
  private var id: String { "\(path)/id" }
  /// The file with the key of the folder.
  private var keyFile: String { "\(path)/key" }
  /// The file with the name of the machine.
  private var nameFile: String { "\(path)/machine" }
  fileprivate var lock: String { "\(path)/lock" }

  package init(_ path: String) { self.path = path }

  /// The folder for the jobs of a folder, if no other one is named: systemd's `$STATE_DIRECTORY`, else one below
  /// `$XDG_STATE_HOME/b2c-run/jobs` that has the name of the folder above the jobs.
  /// - Parameters:
  ///   - jobs: the absolute path of the folder with the jobs.
  ///   - digest: gives the beginning of a digest of a text, in hexadecimal.
  package static func usual(
    for jobs: String, digest: (String) -> String,
    variable: (String) -> String? = { getenv($0).map { String(path: $0) } }
  ) throws(JobError) -> StateFolder {
    if let folder = variable("STATE_DIRECTORY")?.split(separator: ":").first { return StateFolder(String(folder)) }
    guard let state = UserFolder.state.path(variable) else {
      throw JobError(
        "no_state", "there is no place for the state of jobs: neither XDG_STATE_HOME nor HOME is an absolute path",
        hint: "give a folder with --state")
    }
    let name = jobs.parentFolder.split(separator: "/").last.map(String.init) ?? "root"
    return StateFolder("\(state)/jobs/\(name)-\(digest(jobs).prefix(8))")
  }

  package func make() throws(JobError) {
    for folder in [path, logs] {
      try Self.during(folder) { () throws(PrivateFolder.Trouble) in try PrivateFolder.make(folder) }
    }
  }

  /// Throws `no_state` if other users can put files into the folder, such as permissions of jobs, or a socket of theirs.
  func check() throws(JobError) {
    try Self.during(path) { () throws(PrivateFolder.Trouble) in try PrivateFolder.check(path) }
  }

  private static func during(_ folder: String, _ body: () throws(PrivateFolder.Trouble) -> Void) throws(JobError) {
    do { try body() } catch {
      let (problem, hint) =
        switch error {
        case .refused(let reason): ("cannot make the state folder \(folder): \(reason)", otherFolder)
        case .notAFolder: ("cannot make the state folder \(folder): it is not a folder", otherFolder)
        case .open(let reason): ("the state folder \(folder) is not safe: \(reason)", PrivateFolder.remedy(folder))
        }
      throw JobError("no_state", problem, hint: hint)
    }
  }

  private static let otherFolder = "give another folder with --state"

  /// Opens the database. `mustExist` makes none, for commands that only read.
  @HostActor
  package func open(mustExist: Bool = false) throws -> JobStore {
    try check()
    do { return try JobStore(path: database, mustExist: mustExist) } catch let error as SQLiteError {
      throw JobError(
        "no_state", "cannot use the database of the jobs: \(error.message)",
        hint: error.hint ?? Self.otherFolder)
    }
  }

  /// The ID of the folder, which it gets with the first call, with the boot of the host and the inode of the folder. A
  /// machine is known by them after a crash, and a copy of the folder is not taken for it.
  /// - Parameter new: makes a new ID.
  package func identity(_ new: () -> String) throws(JobError) -> String {
    "\(try storedID(new))/\(HostName.bootID)/\(FileSystem.status(of: path)?.st_ino ?? 0)"
  }

  private func storedID(_ new: () -> String) throws(JobError) -> String { try text(in: id, new) }

  /// The key of the digests of a machine that is alone. Only the owner of the folder has it.
  package func digestKey() throws(JobError) -> [UInt8] {
    Array(try text(in: keyFile) { SecureRandom.bytes(32).hexadecimal }.utf8)
  }

  /// The text in a small file, which the first call makes.
  private func text(in file: String, _ new: () -> String) throws(JobError) -> String {
    do {
      if FileSystem.exists(file) {
        let text = String(decoding: try FileSystem.contents(of: file, limit: 256), as: UTF8.self)
        if !text.isEmpty { return text }
      }
      let text = new()
      try OpenFile(file, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)).write(text.utf8)
      return text
    } catch { throw JobError("no_state", "cannot use \(file): \(error.reason)") }
  }

  /// The name that the machine of this folder has among several; nil if it is alone.
  package var machine: String? {
    guard let bytes = try? FileSystem.contents(of: nameFile, limit: 1024), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Notes the name that the machine has among several. The commands for its jobs know by it which logs are its own.
  package func note(machine: String) throws(JobError) {
    do {
      try OpenFile(nameFile, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)).write(machine.utf8)
    } catch { throw JobError("no_state", "cannot write \(nameFile): \(error.reason)") }
  }

  package var hasDatabase: Bool { FileSystem.exists(database) }

  /// The process that used the folder last: that of the server, if one runs.
  package var process: Int32? {
    (try? FileSystem.contents(of: lock, limit: 32)).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
  }
}

/// The right to be the only job host with a state folder. The kernel takes it back when the process ends.
package final class StateLock: Sendable {
  private let file: OpenFile

  /// Throws `state_in_use` if another process has it.
  package init(_ folder: StateFolder) throws(JobError) {
    do { file = try OpenFile(folder.lock, Opening(O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600, expecting: .file)) } catch
    {
      throw JobError("no_state", "cannot use the state folder \(folder.path): \(error.reason)")
    }
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let text = (try? file.contents(limit: 32)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw JobError(
        "state_in_use",
        "another server uses the state folder \(folder.path)" + (Int32(text).map { ": process \($0)" } ?? ""),
        hint: "end it, or give this one another folder with --state")
    }
    ftruncate(file.descriptor, 0)
    do { try file.write("\(getpid())".utf8) } catch {
      throw JobError("no_state", "cannot write \(folder.lock): \(error.reason)")
    }
  }
}
