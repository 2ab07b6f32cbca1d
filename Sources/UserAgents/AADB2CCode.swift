/// The first Azure AD B2C error code, such as `AADB2C90053`, in a text; nil without one.
func aadb2cCode(in text: String) -> String? {
  guard let range = text.firstRange(of: "AADB2C") else { return nil }
  let digits = text[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
  return digits.isEmpty ? nil : "AADB2C\(digits)"
}
