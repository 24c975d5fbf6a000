import Glibc
public import MetronomeModel

/// What was found where the last state is kept.
///
/// - Thread: any
public enum StateReading: Equatable, Sendable {
  /// Nothing has been kept yet.
  case nothing
  case kept(LastState)
  /// A file that cannot be read, or that a newer program wrote, now lies at `path`.
  case setAside(path: String, reason: String)
  /// It can be neither read nor set aside: nothing is to be written over it.
  case stuck(reason: String)
}

/// The file that the last state is kept in.
///
/// - Thread: a worker; reads and writes files.
public struct StateStore: Equatable, Sendable {
  public let folder: String
  let file: String

  /// - Parameter name: of the file, without its ending.
  public init(folder: String, name: String = "state") {
    self.folder = folder
    file = "\(name).json"
  }

  public var path: String { "\(folder)/\(file)" }

  /// Reads what was kept; what is of no use is moved out of the way and never thrown away.
  public func read() -> StateReading {
    removeDrafts()
    var newer: Int?
    do throws(StoreError) {
      guard let bytes = try WholeFile.read(path) else { return .nothing }
      newer = StateFormat.newerVersion(of: bytes)
      do throws(FormatError) {
        return .kept(try StateFormat.read(bytes, file: path))
      } catch { throw StoreError.format(error) }
    } catch {
      let aside = newer.map { "\(path).version-\($0)" } ?? "\(path).unreadable"
      guard unsafe rename(path, aside) == 0 else {
        return .stuck(reason: error.description)
      }
      return .setAside(path: aside, reason: error.description)
    }
  }

  /// Why what is kept could not be used; nil where it could, or nothing is kept. Moves nothing.
  public func problem() -> String? {
    do throws(StoreError) {
      guard let bytes = try WholeFile.read(path) else { return nil }
      do throws(FormatError) {
        _ = try StateFormat.read(bytes, file: path)
        return nil
      } catch { return error.description }
    } catch { return error.description }
  }

  /// A power cut leaves the old state or the new one, never half of one.
  public func save(_ last: LastState) throws(StoreError) {
    WholeFile.makeFolder(folder)
    try WholeFile.replace(
      Array(StateFormat.write(last).utf8), folder: folder, file: file)
  }

  /// What a power cut left behind while writing. Another daemon may be writing one at this moment:
  /// those of the last minute stay.
  private func removeDrafts() {
    let now = time(nil)
    for name in FolderListing.entries(of: folder, beginningWith: WholeFile.draftPrefix) {
      var facts = stat()
      let path = "\(folder)/\(name)"
      guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
        now - facts.st_mtim.tv_sec > 60
      else { continue }
      unsafe unlink(path)
    }
  }
}
