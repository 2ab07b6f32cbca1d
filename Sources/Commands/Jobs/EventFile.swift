package import CommandLine
import Files
package import JSON

/// The file of `--event`: an event of a job as JSON.
package enum EventFile {
  package static func read(_ file: String) throws(UsageError) -> JSON {
    let bytes: [UInt8]
    do { bytes = try FileSystem.contents(of: file, limit: 1 << 20) } catch {
      throw UsageError("--event: cannot read \(file): \(error.reason)")
    }
    do { return try JSON(parsing: bytes) } catch {
      throw UsageError(
        "--event: \(file) is no JSON: \(error.message)", hint: "for example { \"kind\": \"webhook\", \"body\": \"…\" }")
    }
  }
}
