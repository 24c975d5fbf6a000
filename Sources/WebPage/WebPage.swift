/// The page on the music stand, as bytes: `page.html` beside this file is its source.
///
/// - Thread: any
public enum WebPage {
  /// UTF-8; `NONCE-OF-THIS-ANSWER-00000000000` stands wherever an answer's nonce goes.
  public static var bytes: [UInt8] { PackageResources.page_html }
}
