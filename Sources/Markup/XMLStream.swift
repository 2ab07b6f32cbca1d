import CLibXML2Shims
import Core

/// Parses an XML document piece by piece, in little memory.
package final class XMLStream {
  /// The attributes of an element, valid in the call that has them.
  package struct Attributes {
    fileprivate let pointers: UnsafePointer<UnsafePointer<UInt8>?>?
    fileprivate let count: Int

    /// The bytes of the attribute with that name, without a prefix; nil without it. Entities are resolved.
    package subscript(name: StaticString) -> UnsafeBufferPointer<UInt8>? {
      guard let pointers else { return nil }
      for index in 0..<count {
        guard let found = pointers[5 * index], name.isEqual(to: found), let start = pointers[5 * index + 3],
          let end = pointers[5 * index + 4]
        else { continue }
        return UnsafeBufferPointer(start: start, count: end - start)
      }
      return nil
    }

    package func text(_ name: StaticString) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The name of an element without its prefix, valid in the call that has it.
  package struct Name {
    fileprivate let pointer: UnsafePointer<UInt8>

    @inline(__always)
    package static func ~= (pattern: StaticString, name: Name) -> Bool { pattern.isEqual(to: name.pointer) }
  }

  /// Takes the parts of the document.
  package protocol Handler: AnyObject {
    func start(_ name: Name, _ attributes: Attributes)
    func end(_ name: Name)
    /// A text may come in several pieces.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
  }

  /// The object that libxml2's callbacks get.
  private final class Context {
    let handler: any Handler
    var error: MarkupError?
    init(_ handler: any Handler) { self.handler = handler }
  }

  private let handle: OpaquePointer
  private let context: Context
  private var bounds = MarkupBounds()

  /// Throws if libxml2 is missing.
  /// - Parameter handler: is kept as long as the stream, so it must not keep the stream.
  package init(_ handler: any Handler) throws(MarkupError) {
    try LibXML.load()
    let context = Context(handler)
    guard let handle = cxml_stream_open(Self.events, Unmanaged.passUnretained(context).toOpaque()) else {
      throw MarkupError(kind: .malformed, message: "libxml2 has no memory left", line: 1)
    }
    self.handle = handle
    self.context = context
  }

  deinit { cxml_stream_close(handle) }

  /// Parses the next bytes of the document.
  package func add(_ bytes: UnsafeRawBufferPointer) throws(MarkupError) {
    do { try bounds.take(bytes) } catch { throw MarkupError(error) }
    cxml_stream_add(handle, bytes.baseAddress, CInt(bytes.count), false)
    if let error = context.error { throw error }
  }

  /// Throws if the document is not complete.
  package func finish() throws(MarkupError) {
    cxml_stream_add(handle, nil, 0, true)
    if let error = context.error { throw error }
  }

  // It is never freed, like the code.
  nonisolated(unsafe) private static let events: UnsafePointer<cxml_events> = {
    let events = UnsafeMutablePointer<cxml_events>.allocate(capacity: 1)
    events.initialize(
      to: cxml_events(
        start: { context, name, count, attributes in
          let attributes = Attributes(pointers: attributes, count: Int(count))
          XMLStream.context(context).handler.start(XMLStream.name(name), attributes)
        }, end: { context, name in XMLStream.context(context).handler.end(XMLStream.name(name)) },
        text: { context, bytes, size in
          bytes.withMemoryRebound(to: UInt8.self, capacity: Int(size)) {
            XMLStream.context(context).handler.text(UnsafeBufferPointer(start: $0, count: Int(size)))
          }
        },
        error: { pointer, line, message in
          // Later errors are consequences of the first.
          guard let pointer, XMLStream.context(pointer).error == nil else { return }
          XMLStream.context(pointer).error = MarkupError(line: Int(line), libxml2: message)
        }))
    return UnsafePointer(events)
  }()

  private static func context(_ pointer: UnsafeMutableRawPointer) -> Context {
    Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
  }

  private static func name(_ pointer: UnsafePointer<CChar>) -> Name {
    Name(pointer: UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt8.self))
  }
}

extension StaticString {
  /// True for a text that ends with a zero and is the same.
  @inline(__always)
  fileprivate func isEqual(to text: UnsafePointer<UInt8>) -> Bool {
    let own = utf8Start
    var index = 0
    while index < utf8CodeUnitCount {
      // The zero at the end of a shorter text differs, too.
      if own[index] != text[index] { return false }
      index += 1
    }
    return text[index] == 0
  }
}
