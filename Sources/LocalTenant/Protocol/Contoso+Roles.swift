extension Contoso {
  /// Stands for the roles that have been assigned to an application at the task API.
  static let defaultTaskScope = taskScopePrefix + ".default"

  /// Those of the application with a secret.
  static let applicationRoles = [taskRole]

  /// An application with it reads and writes its own tasks.
  static let taskRole = "Tasks.ReadWrite.All"
}
