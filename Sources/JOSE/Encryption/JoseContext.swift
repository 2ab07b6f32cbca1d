import CJoseShims
import Core
import Glibc

/// A configuration of libjose for one call. It keeps the library's messages instead of printing them.
///
/// libjose counts references to a configuration without locks, so that calls cannot share one. Its table of algorithms, which
/// all calls share, is built when the library is loaded and only read later.
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
    // OpenSSL keeps errors in a queue for each thread, where libcurl would find them.
    cjose_clear_errors()
  }

  /// The messages of libjose in parentheses; empty without messages.
  var reason: String { notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))" }
}
