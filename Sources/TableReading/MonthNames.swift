/// The names of months and weekdays in twelve languages: English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish,
/// Danish (also Norwegian), Finnish, Polish, Czech.
enum MonthNames {
  private static let months: [[String]] = [
    [
      "january", "januar", "jänner", "janvier", "enero", "janeiro", "gennaio", "januari", "tammikuu", "tammikuuta",
      "styczeń", "stycznia", "leden", "ledna",
    ],
    [
      "february", "februar", "février", "febrero", "fevereiro", "febbraio", "februari", "helmikuu", "helmikuuta",
      "luty",
      "lutego", "únor", "února",
    ],
    [
      "march", "märz", "mars", "marzo", "março", "maart", "marts", "maaliskuu", "maaliskuuta", "marzec", "marca",
      "březen", "března",
    ],
    [
      "april", "avril", "abril", "aprile", "huhtikuu", "huhtikuuta", "kwiecień", "kwietnia", "duben", "dubna",
    ],
    [
      "may", "mai", "mayo", "maio", "maggio", "mei", "maj", "toukokuu", "toukokuuta", "maja", "květen", "května",
    ],
    [
      "june", "juni", "juin", "junio", "junho", "giugno", "kesäkuu", "kesäkuuta", "czerwiec", "czerwca", "červen",
      "června",
    ],
    [
      "july", "juli", "juillet", "julio", "julho", "luglio", "heinäkuu", "heinäkuuta", "lipiec", "lipca", "červenec",
      "července",
    ],
    [
      "august", "août", "agosto", "augustus", "augusti", "elokuu", "elokuuta", "sierpień", "sierpnia", "srpen", "srpna",
    ],
    [
      "september", "septembre", "septiembre", "setiembre", "setembro", "settembre", "syyskuu", "syyskuuta", "wrzesień",
      "września", "září",
    ],
    [
      "october", "oktober", "octobre", "octubre", "outubro", "ottobre", "lokakuu", "lokakuuta", "październik",
      "października", "říjen", "října",
    ],
    [
      "november", "novembre", "noviembre", "novembro", "marraskuu", "marraskuuta", "listopad", "listopada", "listopadu",
    ],
    [
      "december", "dezember", "décembre", "diciembre", "dezembro", "dicembre", "joulukuu", "joulukuuta", "grudzień",
      "grudnia", "prosinec", "prosince",
    ],
  ]

  /// Short names with which no long name begins, or several.
  private static let short: [String: Int] = [
    "jun": 6, "jul": 7, "mar": 3, "mär": 3, "mrz": 3, "mrt": 3, "ene": 1, "gen": 1, "abr": 4, "avr": 4, "ago": 8,
    "aug": 8, "sept": 9, "set": 9, "out": 10, "okt": 10, "oct": 10, "ott": 10, "dic": 12, "dez": 12, "déc": 12,
    "dec": 12, "fév": 2, "fev": 2, "mag": 5, "giu": 6, "lug": 7, "juil": 7, "sty": 1, "lut": 2, "kwi": 4, "cze": 6,
    "lip": 7, "sie": 8, "wrz": 9, "paź": 10, "lis": 11, "gru": 12,
  ]

  private static let numbers: [String: Int] = {
    var numbers = short
    for (index, names) in months.enumerated() { for name in names { numbers[name] = index + 1 } }
    return numbers
  }()

  /// The month of a name or of its beginning of three or four letters, without a full stop; nil for another word.
  static func month(_ word: String) -> Int? {
    if let number = numbers[word] { return number }
    guard word.count == 3 || word.count == 4 else { return nil }
    let found = Set(months.indices.filter { index in months[index].contains { $0.hasPrefix(word) } })
    return found.count == 1 ? found.first.map { $0 + 1 } : nil
  }

  /// Beginnings of the names of weekdays, which add nothing to a date.
  private static let weekdays: Set<String> = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so", "die", "mit", "don",
    "fre",
    "sam", "son", "lun", "mar", "mer", "mie", "jeu", "jue", "ven", "vie", "sáb", "sab", "dim", "dom", "gio", "seg",
    "ter",
    "qua", "qui", "sex", "maa", "din", "woe", "vri", "zat", "zon", "mån", "tis", "ons", "tor", "lör", "sön", "man",
    "tir",
    "lør", "søn", "tii", "kes", "per", "lau", "sun", "pon", "wto", "śro", "czw", "pią", "sob", "nie", "pon", "úte",
    "stř",
    "čtv", "pát", "ned",
  ]

  static func isWeekday(_ word: String) -> Bool { weekdays.contains(String(word.prefix(3))) || weekdays.contains(word) }
}
