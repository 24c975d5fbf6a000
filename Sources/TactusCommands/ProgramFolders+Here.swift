import CommandLineOptions

extension ProgramFolders {
  /// Those of this process.
  static func here(user: String?, shipped: String? = nil) -> ProgramFolders {
    ProgramFolders(
      user: user, shipped: shipped, executable: ProgramFile.executable,
      environment: Console.environment)
  }
}
