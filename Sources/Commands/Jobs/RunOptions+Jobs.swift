import Automation
package import CommandLine
import Core
import Crypto
import DatabaseAddress
import Files
import Glibc
import HostLoop
package import JobProcesses
import Jobs
import Permissions

extension RunOptions {
  /// The program of the processes of jobs.
  package func scriptProgram(folder: String, logs: String) -> ScriptLauncher.Program {
    ScriptLauncher.Program(
      path: Self.programFile, arguments: passedOptions, folder: folder, logs: logs, environment: Self.passedEnvironment)
  }

  /// The file of this program.
  package static var programFile: String { FileSystem.realPath("/proc/self/exe") ?? "b2c-run" }

  /// The variables of the processes that this one starts for scripts.
  package static var passedEnvironment: [String] {
    let hidden = ["LISTEN_", "NOTIFY_", "WATCHDOG_", "CREDENTIALS_DIRECTORY=", ServiceCredentials.ownVariable]
    var environment = Self.environment.filter { variable in !hidden.contains(where: variable.hasPrefix) }
    // A run finds the secrets of the service, and its script cannot name their folder.
    if let folder = ServiceCredentials.folder { environment.append("\(ServiceCredentials.ownVariable)=\(folder)") }
    return environment
  }

  /// The variables of this process: `NAME=VALUE`.
  package static var environment: [String] {
    var environment: [String] = []
    var entry = environ
    while let text = entry.pointee {
      environment.append(String(path: text))
      entry += 1
    }
    return environment
  }

  /// The options that each run of a job gets, too. Paths in them are absolute.
  package var passedOptions: [String] {
    given.flatMap { option, text -> [String] in
      switch option {
      case "--store" where PostgresAddress.isOne(text ?? ""): [option, text ?? ""]
      case "--settings", "--store", "--cacert", "--plugin": [option, JobsPlace.absolute(text ?? "")]
      case "--set":
        if let text, let range = text.firstRange(of: "=@"), text[..<range.lowerBound] == SecretSource.key {
          [option, "\(SecretSource.key)=@\(JobsPlace.absolute(String(text[range.upperBound...])))"]
        } else {
          [option, text ?? ""]
        }
      case "--account", "--memory", "--log-level", "--log-format": [option, text ?? ""]
      case "--trust-plugins", "--no-plugins", "--quiet": [option]
      default: []
      }
    }
  }

  /// Reads the definitions of jobs in the folder.
  @HostActor
  func jobFolder(_ place: JobsPlace, _ launcher: ScriptLauncher) -> JobFolder {
    JobFolder(
      place.folder ?? place.name, launcher: launcher, digest: { SHA256.hash($0).hexadecimal },
      needs: { ScriptHeader.flags(of: $0) })
  }
}
