import CJoseShims
import Glibc

/// A configuration of libjose for one call, which keeps what the library has to say instead of printing it.
///
/// libjose counts references to a configuration without locks, so none is shared between calls. Everything else of
/// libjose that calls have in common (its table of algorithms) is built while it is loaded, and only read after.
final class JoseContext {
  let pointer: OpaquePointer
  private var notes: [String] = []

  init() throws(JOSEError) {
    try JoseLibrary.load()
    guard let pointer = cjose_cfg() else { throw JOSEError(.failed, "libjose has no memory left") }
    self.pointer = pointer
    cjose_cfg_set_err_func(
      pointer,
      { context, _, _, _, format, arguments in
        guard let context, let format, let arguments else { return }
        let size = 256
        let text = [CChar](unsafeUninitializedCapacity: size) { buffer, count in
          vsnprintf(buffer.baseAddress!, size, format, arguments)
          count = strlen(buffer.baseAddress!)
        }
        Unmanaged<JoseContext>.fromOpaque(context).takeUnretainedValue()
          .notes.append(String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    cjose_cfg_decref(pointer)
    // OpenSSL keeps what went wrong in a queue per thread, where libcurl would find it.
    cjose_clear_errors()
  }

  /// What libjose reported, in parentheses, or nothing.
  var reason: String { notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))" }
}
