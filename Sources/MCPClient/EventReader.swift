/// Reads the data of events as they come (`text/event-stream` of the HTML standard, 9.2.6). It needs neither their names nor their
/// numbers.
struct EventReader {
  private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

  private var line: [UInt8] = []
  /// The data of the event that has begun; nil before its first line of data.
  private var data: [UInt8]?
  private var isAfterReturn = false

  /// Returns the data of the events that these bytes complete.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      // CR LF is one end of a line.
      defer { isAfterReturn = byte == Self.carriageReturn }
      if byte == Self.lineFeed, isAfterReturn { continue }
      guard byte == Self.lineFeed || byte == Self.carriageReturn else {
        line.append(byte)
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  /// Returns the data of an event if the line is empty, which ends the event.
  private mutating func endLine() -> [UInt8]? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { data = nil }
      return data
    }
    let name = Array("data".utf8)
    guard line.starts(with: name), line.count == name.count || line[name.count] == UInt8(ascii: ":") else { return nil }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    data = data.map { $0 + [Self.lineFeed] + value } ?? Array(value)
    return nil
  }
}
