import CLinuxShims

/// Standard input, output and error.
package enum StandardDescriptors {
  /// Opens missing ones, so that no file gets the number of one. Reading and writing them still fails.
  package static func occupy() { cstream_occupy() }

  /// The errno of the first failed write to standard output (1) or standard error (2); 0 if none failed.
  package static func problem(of descriptor: CInt) -> CInt { cstream_problem(descriptor) }
}
