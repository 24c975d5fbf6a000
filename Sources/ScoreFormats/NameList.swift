/// Lists of names and keys as JSON, for other programs.
///
/// - Thread: any
public enum NameList {
  public static func json(_ rows: [(name: String, title: String?)]) -> String {
    JSONValue.list(
      rows.map { row in
        .members([
          ("name", .string(row.name)), ("title", row.title.map { .string($0) }),
        ])
      }
    ).text()
  }
}

extension WrittenFile {
  /// The keys of some kinds of file with the groups' examples.
  public static func json(_ files: [WrittenFile]) -> String {
    JSONValue.list(
      files.flatMap { file in
        file.groups.map { group -> JSONValue in
          .members([
            ("file", .string(file.rawValue)),
            ("prefix", .string(group.prefix)),
            (
              "keys",
              .list(
                group.keys.map { key in
                  .members([
                    ("name", .string(key.name)), ("value", .string(key.value)),
                    ("meaning", .string(key.meaning)),
                  ])
                })
            ),
            ("examples", .list(group.examples.map { .string($0) })),
          ])
        }
      }
    ).text()
  }
}
