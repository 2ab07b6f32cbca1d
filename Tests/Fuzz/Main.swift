import Dispatch
import Glibc
import HostLoop
import Synchronization

@testable import Core

/// The target that the variable TARGET names.
private let target: FuzzTarget = {
  let name = getenv("TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print("TARGET is none of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(2)
  }
  return target
}()

/// libFuzzer calls this function with each input. The readers run on the thread of the host, as in the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: CInt) -> CInt {
  let input = FuzzInput(Array(UnsafeBufferPointer(start: start, count: Int(count))))
  let isDone = DispatchSemaphore(value: 0)
  let target = target
  HostActor.task {
    try? await target.read(input)
    // The program keeps the secrets of one run; here they are those of millions of inputs.
    for redactor in [Redaction.output, Redaction.scripts, Redaction.given] {
      redactor.known.withLock { $0.removeAll(keepingCapacity: true) }
    }
    isDone.signal()
  }
  isDone.wait()
  return 0
}

#if CORPUS
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, CInt) -> CInt
  ) -> CInt

  /// libFuzzer without its main function reads the inputs that the arguments name. Swift Package Manager gives a debug
  /// program a main function of its own.
  @main struct Corpus {
    static func main() {
      var count = CommandLine.argc
      var arguments = CommandLine.unsafeArgv
      exit(runDriver(&count, &arguments) { testOneInput($0, $1) })
    }
  }
#endif
