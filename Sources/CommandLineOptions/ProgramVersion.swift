/// The version of both programs.
public enum ProgramVersion {
  public static let text = "0.1.0"
}
