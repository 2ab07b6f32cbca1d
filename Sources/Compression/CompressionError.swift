package import Core

/// Compressed data that cannot be read, or a library that is not there. The message names no file: the caller knows it.
package typealias CompressionError = DomainError<CompressionProblem>

/// The kinds of `CompressionError`.
package enum CompressionProblem: String, FailureKind {
  /// The data ends before its format says it does.
  case truncated = "truncated_compression"
  /// The data or its checksum was changed, or something else follows it.
  case damaged = "damaged_compression"
  /// The data is not of that format at all.
  case notCompressed = "not_compressed"
  /// It needs more memory than this program gives it.
  case windowTooLarge = "compression_window_too_large"
  /// Data could not be compressed: there is no memory for it.
  case notWritten = "not_compressible"
  case libraryMissing = "compression_library_missing"
}

extension CompressionError {
  static func truncated(_ format: CompressionFormat) -> CompressionError {
    CompressionError(
      .truncated, "the \(format.rawValue) data ends in the middle",
      hint: "the file was not copied or downloaded to its end: get it again")
  }

  /// - Parameter reason: the library's words.
  static func damaged(_ format: CompressionFormat, _ reason: String) -> CompressionError {
    CompressionError(
      .damaged, "the \(format.rawValue) data is damaged: \(reason)", hint: "get it again, or compress it again")
  }

  static func notCompressed(_ format: CompressionFormat) -> CompressionError {
    CompressionError(
      .notCompressed, "this is not \(format.rawValue) data",
      hint: "when it is not compressed, take \(format.pathExtension) off its name")
  }

  static func notWritten(_ format: CompressionFormat, _ reason: String) -> CompressionError {
    CompressionError(.notWritten, "cannot compress to \(format.rawValue): \(reason)")
  }
}
