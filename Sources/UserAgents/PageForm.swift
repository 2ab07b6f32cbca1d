import Markup

/// A form of a page, as a script sees it.
package struct PageForm: Sendable {
  package struct Field: Sendable {
    package let name: String
    package let id: String?
    /// `text`, `email`, `password`, `hidden`, `checkbox`, `select`, …
    package let type: String
    /// The value that would be submitted; `[secret]` for a password.
    package let value: String
    package let label: String?
    package let isChecked: Bool
    /// The values a `select` offers.
    package let options: [String]
  }

  package struct Button: Sendable {
    package let name: String?
    package let id: String?
    package let value: String
    package let label: String
  }

  package let id: String?
  package let name: String?
  /// Absolute.
  package let action: String
  /// `GET` or `POST`.
  package let method: String
  package let fields: [Field]
  /// The buttons that submit.
  package let buttons: [Button]

  init(_ form: HTMLForm, action: String) {
    id = form.id
    name = form.name
    self.action = action
    method = form.method
    fields = form.fields.map { field in
      let isFilledPassword = field.type == "password" && !field.value.isEmpty
      return Field(
        name: field.name, id: field.id, type: field.type, value: isFilledPassword ? "[secret]" : field.value,
        label: field.label, isChecked: field.isChecked, options: field.options.map(\.value))
    }
    buttons = form.buttons.filter { $0.submits && !$0.isDisabled }.map {
      Button(name: $0.name, id: $0.id, value: $0.value, label: $0.label)
    }
  }
}
