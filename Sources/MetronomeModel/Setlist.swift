/// The presets and songs of an evening, in order.
///
/// - Thread: any
public struct Setlist: Equatable, Sendable {
  public var title: String?
  public var entries: [Entry]

  public init(title: String? = nil, entries: [Entry] = []) {
    self.title = title
    self.entries = entries
  }

  /// Entries of one setlist.
  public static let entryCounts = 1...500

  public struct Entry: Equatable, Sendable {
    /// For people.
    public var title: String?
    /// A preset's name.
    public var preset: String?
    /// A tempo map's name, loaded after the preset.
    public var map: String?

    public init(title: String? = nil, preset: String? = nil, map: String? = nil) {
      self.title = title
      self.preset = preset
      self.map = map
    }

    /// What it is called.
    public var name: String { title ?? preset ?? map ?? "" }
  }

  /// The index of the entry that a person meant; nil where there is none.
  public func index(of wanted: NameOrNumber) -> Int? {
    switch wanted.resolved(among: entries.flatMap { [$0.name, $0.preset ?? "", $0.map ?? ""] }) {
    case .number(let number):
      entries.indices.contains(number &- 1) ? number - 1 : nil
    case .name(let name):
      entries.firstIndex { $0.name == name }
        ?? entries.firstIndex {
          $0.preset == name || $0.map == name
        }
    }
  }
}
