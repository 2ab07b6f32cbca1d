/// Encodes letters beyond ASCII in hosts (RFC 5890): such labels become `xn--` and Punycode. libcurl, which would
/// encode by the locale, gets ASCII only, so that the host that a person sees is connected to. Letters are made small,
/// not normalized: a name that needs more is in no directory.
package enum HostEncoding {
  /// Nil for a host that cannot be encoded.
  package static func ascii(_ host: String) -> String? {
    let labels = host.lowercased().unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
    var encoded: [String] = []
    for label in labels {
      if label.allSatisfy(\.isASCII) {
        encoded.append(String(label))
      } else if label.contains(where: isHidden) {
        return nil
      } else {
        guard let letters = Punycode.encode(Array(label)), letters.utf8.count <= 59 else { return nil }
        encoded.append("xn--" + letters)
      }
    }
    return encoded.joined(separator: ".")
  }

  /// True for the full stop and the characters that count as one in IDNA (RFC 3490, 3.1).
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    [0x2E, 0x3002, 0xFF0E, 0xFF61].contains(scalar.value)
  }

  /// True for a character that does not belong into a name and that nobody would see there.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      true
    default: false
    }
  }
}

/// RFC 3492.
enum Punycode {
  private static let (base, low, high, skew, damp) = (36, 1, 26, 38, 700)

  /// Nil where the numbers get too large.
  static func encode(_ scalars: [Unicode.Scalar]) -> String? {
    let basic = scalars.filter(\.isASCII)
    var output = basic.map { UInt8($0.value) }
    if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
    var (next, delta, bias, handled) = (0x80, 0, 72, basic.count)
    while handled < scalars.count {
      guard let least = scalars.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
      let (step, overflow) = (least - next).multipliedReportingOverflow(by: handled + 1)
      guard !overflow, delta + step < Int(UInt32.max) else { return nil }
      delta += step
      next = least
      for scalar in scalars {
        if scalar.value < next { delta += 1 }
        guard scalar.value == next else { continue }
        append(delta, bias, to: &output)
        bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// A number of variable length (RFC 3492, 3.3).
  private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
    var (rest, position) = (number, base)
    while true {
      let threshold = min(max(position - bias, low), high)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      position += base
    }
    output.append(digit(rest))
  }

  private static func digit(_ value: Int) -> UInt8 {
    UInt8(value < 26 ? value + Int(UInt8(ascii: "a")) : value - 26 + Int(UInt8(ascii: "0")))
  }

  /// RFC 3492, 6.1.
  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var steps = 0
    while delta > (base - low) * high / 2 {
      delta /= base - low
      steps += base
    }
    return steps + (base - low + 1) * delta / (delta + skew)
  }
}
