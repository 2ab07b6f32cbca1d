import Files
import Glibc

/// Files and folders that only their owner may read.
enum PrivateFolder {
  /// Makes the folder and those above it that are missing, with mode 0700; one that exists keeps its mode.
  static func make(_ path: String) throws(AccountError) {
    do {
      try Files.PrivateFolder.make(path)
    } catch {
      switch error {
      case .notAFolder:
        throw AccountError(
          .storeUnusable, "the account store needs a folder, and \(path) is something else",
          hint: "give a folder with --store")
      case .refused(let reason):
        throw AccountError(
          .storeUnusable, "the folder \(path) of the account store cannot be made: \(reason)",
          hint: "check who owns the folder above it, or give another folder with --store")
      }
    }
  }

  /// Refuses a file that someone else owns or may read.
  static func check(_ file: OpenFile, _ path: String, what: String, kind: AccountError.Kind) throws(AccountError) {
    let status: stat
    do { status = try file.status() } catch {
      throw AccountError(kind, "\(what) \(path) cannot be examined: \(error.reason)")
    }
    guard status.st_uid == geteuid() else {
      throw AccountError(
        kind, "\(what) \(path) belongs to another user (number \(status.st_uid))",
        hint: "give another folder with --store")
    }
    guard status.st_mode & 0o077 == 0 else {
      let digits = String(status.st_mode & 0o777, radix: 8)
      let mode = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      throw AccountError(
        kind, "\(what) \(path) is open to others (mode \(mode)); it must have mode 0600",
        hint: "run: chmod 600 '\(path)', and sign in again if others may have read it")
    }
  }
}
