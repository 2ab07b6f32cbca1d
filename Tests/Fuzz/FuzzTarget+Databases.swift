import Compression
import Core
import DatabaseAddress
import ImportEngine
import JSON

@testable import Databases
@testable import SharedImport

extension FuzzTarget {
  /// Blocks of a shared import: their rows, as every machine reads them, and the options that all machines follow.
  static let blocks = FuzzTarget("blocks") { input in
    // The number of rows, which is in the database beside the block.
    let count = Int(input.bytes.first ?? 0) * 2
    if let rows = BlockPayload.decode(Array(input.bytes.dropFirst()), count: count) {
      let bytes = BlockPayload.encode(rows)
      guard let again = BlockPayload.decode(bytes, count: count) else {
        preconditionFailure("a block that is not read again")
      }
      precondition(BlockPayload.encode(again) == bytes, "another block after writing and reading")
      if let first = rows.first { _ = BlockPayload.begins(rows, at: first.number) }
    }
    let options = try JSON(parsing: input.bytes)
    _ = (ImportOptions(shared: options).shared(timeout: 1), ImportOptions.timeout(shared: options))
  }

  /// Addresses of databases, statements, and bytes as a server writes them.
  static let databases = FuzzTarget("databases") { input in
    let text = input.text
    _ = PostgresText.placeholders(text)
    _ = input.bytes.withUnsafeBufferPointer { PostgresText.blob($0) }
    _ = (PostgresAddress.hidePassword(of: text), PostgresAddress.withoutPassword(text))
    let address = try PostgresAddress(text)
    precondition(!PostgresAddress.hidePassword(of: address.shown), "a password is shown in \(address.shown)")
  }
}
