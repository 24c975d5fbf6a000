/// Why a named file could not be read or saved.
///
/// - Thread: any
public enum StoreError: Error, Equatable, CustomStringConvertible {
  case name(kind: String, reason: String)
  case notFound(kind: String, name: String, nearest: String?, folders: [String])
  /// A file that was written by hand would lose what it holds.
  case writtenByHand(kind: String, path: String, what: String)
  case number(kind: String, Int, count: Int)
  case empty(kind: String)
  case symbolicLink(path: String)
  case notAFile(path: String)
  case tooLarge(path: String, bytes: Int, most: Int)
  case full(kind: String, folder: String, most: Int)
  case system(call: String, path: String, reason: String)
  case format(FormatError)

  public var description: String {
    switch self {
    case .name(let kind, let reason):
      "\(kind) \(reason)"
    case .writtenByHand(let kind, let path, let what):
      "'\(path)' \(what), which saving would lose: save the \(kind) under another name, or move that "
        + "file away"
    case .notFound(let kind, let name, let nearest?, _):
      "there is no \(kind) '\(name)': did you mean '\(nearest)'?"
    case .notFound(let kind, let name, nil, let folders):
      "there is no \(kind) '\(name)' in \(folders.joined(separator: ", "))"
    case .number(let kind, let number, let count):
      "there is no \(kind) \(number): there are 1 to \(count)"
    case .empty(let kind):
      "there is no \(kind) at all"
    case .symbolicLink(let path):
      "'\(path)' is a symbolic link: names are looked up inside one folder, copy the file there"
    case .notAFile(let path):
      "'\(path)' is not a regular file"
    case .tooLarge(let path, let bytes, let most):
      "'\(path)' has \(bytes) bytes: allowed are \(most)"
    case .full(let kind, let folder, let most):
      "'\(folder)' holds \(most) of \(kind) already: remove one before saving another"
    case .system(let call, let path, let reason):
      "'\(path)': \(call): \(reason)"
    case .format(let error):
      error.description
    }
  }
}
