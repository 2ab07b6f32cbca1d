import Core

/// A result as a small picture for a page.
package enum ConformBadge {
  private static let height = 20
  private static let widthOfLetter = 6.5

  package static func svg(_ result: ConformResult) -> String {
    let (text, color) = state(result)
    let left = Double("conform".count) * widthOfLetter + 12
    let right = Double(text.count) * widthOfLetter + 12
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(left + right))" height="\(height)" role="img" \
      aria-label="conform: \(text)">
      <title>conform: \(text)</title>
      <rect width="\(Int(left))" height="\(height)" fill="#444c56"/>
      <rect x="\(Int(left))" width="\(Int(right))" height="\(height)" fill="\(color)"/>
      <g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">
      <text x="6" y="14">conform</text>
      <text x="\(Int(left) + 6)" y="14">\(text)</text>
      </g>
      </svg>

      """
  }

  private static func state(_ result: ConformResult) -> (text: String, color: String) {
    let passed = result.count(.passed)
    switch result.end {
    case .signInFailed: return ("no sign-in", "#5c6672")
    case .failed: return ("\(result.count(.failed)) failed", "#a4161a")
    case .unclear: return ("\(passed) passed, \(result.count(.unclear)) unclear", "#8a5a00")
    case .asExpected: return ("\(passed) passed", "#1c6e3d")
    }
  }
}
