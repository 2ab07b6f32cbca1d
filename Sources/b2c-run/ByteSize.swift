/// Sizes as people write them: `256M`, `1G`, `65536`.
enum ByteSize {
  static func parse(_ text: String) throws(UsageError) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text : String(text.dropLast())
    let (size, overflows) = (Int(digits) ?? 0).multipliedReportingOverflow(by: unit ?? 1)
    guard size > 0, !overflows else {
      throw UsageError("--memory: expected a size such as 256M, got '\(text)'")
    }
    return size
  }
}
