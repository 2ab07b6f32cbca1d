package import JSON

/// The description of a tool.
package struct MCPToolDescription: Sendable, Equatable {
  /// Hints of a server about a tool, which say nothing about what it may do.
  package struct Hints: Sendable, Equatable {
    package var isReadOnly = false
    package var isDestructive = false
    package var isIdempotent = false

    package init(isReadOnly: Bool = false, isDestructive: Bool = false, isIdempotent: Bool = false) {
      self.isReadOnly = isReadOnly
      self.isDestructive = isDestructive
      self.isIdempotent = isIdempotent
    }

    package var json: JSON {
      [
        "readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(isDestructive),
        "idempotentHint": .bool(isIdempotent),
      ]
    }
  }

  package var name: String
  package var title: String?
  package var description: String
  /// A JSON schema of an object.
  package var inputSchema: JSON
  package var outputSchema: JSON?
  package var hints: Hints

  package init(
    _ name: String, title: String? = nil, _ description: String, inputSchema: JSON, outputSchema: JSON? = nil,
    hints: Hints = Hints()
  ) {
    self.name = name
    self.title = title
    self.description = description
    self.inputSchema = inputSchema
    self.outputSchema = outputSchema
    self.hints = hints
  }

  /// Nil for an object without a name or a schema.
  package init?(_ json: JSON) {
    guard let name = json["name"]?.string, let schema = json["inputSchema"], schema.object != nil else { return nil }
    let hints = json["annotations"]
    self.init(
      name, title: json["title"]?.string, json["description"]?.string ?? "", inputSchema: schema,
      outputSchema: json["outputSchema"],
      hints: Hints(
        isReadOnly: hints?["readOnlyHint"]?.bool ?? false, isDestructive: hints?["destructiveHint"]?.bool ?? true,
        isIdempotent: hints?["idempotentHint"]?.bool ?? false))
  }

  package var json: JSON {
    var members: [String: JSON] = [
      "name": .string(name), "description": .string(description), "inputSchema": inputSchema, "annotations": hints.json,
    ]
    members["title"] = title.map(JSON.string)
    members["outputSchema"] = outputSchema
    return .object(members)
  }
}

/// The description of a resource.
package struct MCPResourceDescription: Sendable, Equatable {
  package var uri: String
  package var name: String
  package var description: String
  package var mimeType: String

  package init(_ uri: String, name: String, _ description: String, mimeType: String) {
    self.uri = uri
    self.name = name
    self.description = description
    self.mimeType = mimeType
  }

  /// Nil for an object without an address or a name.
  package init?(_ json: JSON) {
    guard let uri = json["uri"]?.string, let name = json["name"]?.string else { return nil }
    self.init(
      uri, name: name, json["description"]?.string ?? "", mimeType: json["mimeType"]?.string ?? "text/plain")
  }

  package var json: JSON {
    [
      "uri": .string(uri), "name": .string(name), "description": .string(description), "mimeType": .string(mimeType),
    ]
  }
}

/// The description of a prompt.
package struct MCPPromptDescription: Sendable, Equatable {
  package struct Argument: Sendable, Equatable {
    package var name: String
    package var description: String
    package var isRequired: Bool

    package init(_ name: String, _ description: String, isRequired: Bool) {
      self.name = name
      self.description = description
      self.isRequired = isRequired
    }
  }

  package var name: String
  package var description: String
  package var arguments: [Argument]

  package init(_ name: String, _ description: String, arguments: [Argument] = []) {
    self.name = name
    self.description = description
    self.arguments = arguments
  }

  /// Nil for an object without a name.
  package init?(_ json: JSON) {
    guard let name = json["name"]?.string else { return nil }
    let arguments = (json["arguments"]?.array ?? []).compactMap { argument in
      argument["name"]?.string.map {
        Argument($0, argument["description"]?.string ?? "", isRequired: argument["required"]?.bool ?? false)
      }
    }
    self.init(name, json["description"]?.string ?? "", arguments: arguments)
  }

  package var json: JSON {
    let list = arguments.map { argument -> JSON in
      [
        "name": .string(argument.name), "description": .string(argument.description),
        "required": .bool(argument.isRequired),
      ]
    }
    return ["name": .string(name), "description": .string(description), "arguments": .array(list)]
  }
}
