extension Contoso {
  /// The scope that stands for all roles assigned to an application at the task API.
  static let defaultTaskScope = taskScopePrefix + ".default"

  /// The roles of the confidential client.
  static let applicationRoles = [taskRole]

  /// The role that allows an application to read and write its own tasks.
  static let taskRole = "Tasks.ReadWrite.All"
}
