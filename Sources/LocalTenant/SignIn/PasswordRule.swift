/// B2C's "strong" rule for new passwords; `Texts.passwordRule` explains it.
enum PasswordRule {
  static func admits(_ password: String) -> Bool {
    guard (8...64).contains(password.count) else { return false }
    var kinds: Set<Int> = []
    for character in password {
      if character.isLowercase {
        kinds.insert(0)
      } else if character.isUppercase {
        kinds.insert(1)
      } else if character.isNumber {
        kinds.insert(2)
      } else {
        kinds.insert(3)
      }
    }
    return kinds.count >= 3
  }
}
