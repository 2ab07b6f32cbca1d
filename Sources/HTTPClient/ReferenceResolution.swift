/// Resolves `reference` (a `Location` field, a link, a form's action) against the address `base` (RFC 3986, section 5).
///
/// Returns an absolute reference unchanged, whatever its scheme (`com.example.app://signed-in?code=…`); nil if either is no
/// address.
package func resolve(reference: String, against base: String) -> String? {
  if let scheme = scheme(of: reference), scheme != "http", scheme != "https" { return reference }
  guard var url = CurlURL(base) else { return nil }
  switch reference.first {
  // libcurl 7.88 resolves neither of these two to the address itself.
  case nil: url.setFragment(nil)
  case "#": url.setFragment(String(reference.dropFirst()))
  default: guard url.resolve(reference) else { return nil }
  }
  return url.text
}

/// The scheme an absolute address starts with, in lower case.
private func scheme(of reference: String) -> String? {
  guard let colon = reference.firstIndex(of: ":"), colon != reference.startIndex else { return nil }
  let scheme = reference[..<colon].lowercased()
  let isScheme = scheme.utf8.enumerated().allSatisfy { index, byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
    default: false
    }
  }
  return isScheme ? scheme : nil
}
