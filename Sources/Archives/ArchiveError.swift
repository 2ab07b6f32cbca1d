package import Core

/// An archive that cannot be read, or a library that is not there. The message names no file: the caller knows it.
package typealias ArchiveError = DomainError<ArchiveProblem>

/// The kinds of `ArchiveError`.
package enum ArchiveProblem: String, FailureKind {
  /// The archive, or the checksum of an entry, is wrong.
  case damaged = "damaged_archive"
  /// The entry needs a password.
  case encrypted = "encrypted_archive"
  /// There is no entry of that name.
  case missingEntry = "missing_archive_entry"
  /// The archive has too many entries, or an entry has too many bytes for its packed size.
  case tooLarge = "archive_too_large"
  case libraryMissing = "archive_library_missing"
}
