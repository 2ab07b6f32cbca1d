package import Core

/// An address of a database that cannot be read.
package typealias AddressError = DomainError<AddressProblem>

package enum AddressProblem: String, FailureKind {
  /// libpq is not installed.
  case noLibrary = "no_library"
  /// The address cannot be read.
  case badAddress = "bad_database_address"
}
