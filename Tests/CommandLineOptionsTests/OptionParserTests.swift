import CommandLineOptions
import Testing

@Suite struct OptionParserTests {
  static let parser = OptionParser(
    command: "demo", summary: "Shows how a command line is read.",
    positionals: [
      PositionalDeclaration("METER", "Like 4/4."),
      PositionalDeclaration("TEMPO", "Beats a minute."),
    ],
    options: [
      .value("device", "NAME", "The sound card.", group: "Sound"),
      .value("offset", "MS", "Moves the clicks."),
      .value("allow", "CIDR", "A network that may play.", repeatable: true),
      .flag("quiet", "Says nothing.", letter: "q"),
    ],
    exitCodes: [.done, .misused, ExitCode(3, "The port is taken.")])

  @Test func `a value may follow its option or be tied to it by a sign`() throws {
    for arguments in [["--device", "hw:Demo"], ["--device=hw:Demo"]] {
      #expect(try Self.parser.parse(arguments).value("device") == "hw:Demo")
    }
    #expect(try Self.parser.parse(["--device="]).value("device") == "")
    #expect(try Self.parser.parse(["--device=a=b"]).value("device") == "a=b")
    #expect(try Self.parser.parse(["--device", "-"]).value("device") == "-")
  }

  @Test func `negative numbers are values and arguments, not options`() throws {
    let parsed = try Self.parser.parse(["--offset", "-30", "-5"])
    #expect(parsed.value("offset") == "-30")
    #expect(parsed.arguments == ["-5"])
  }

  @Test func `arguments and options may be mixed, and two dashes end the options`() throws {
    let parsed = try Self.parser.parse(["3/4", "-q", "--", "--96"])
    #expect(parsed.arguments == ["3/4", "--96"])
    #expect(parsed.has("quiet"))
    #expect(!parsed.has("device"))
  }

  @Test func `repeatable options keep every value in order`() throws {
    let parsed = try Self.parser.parse(["--allow", "10.0.0.0/8", "--allow=fd00::/8"])
    #expect(parsed.values("allow") == ["10.0.0.0/8", "fd00::/8"])
  }

  @Test(arguments: [
    (["--devise", "x"], OptionError.unknown("--devise", suggestion: "--device")),
    (["-device", "x"], .unknown("-device", suggestion: "--device")),
    (["--zzz"], .unknown("--zzz", suggestion: nil)),
    (["-x"], .unknown("-x", suggestion: nil)),
    (["--device"], .missingValue("--device", placeholder: "NAME")),
    (["--device", "--quiet"], .missingValue("--device", placeholder: "NAME")),
    (["--quiet=yes"], .unexpectedValue("--quiet", value: "yes")),
    (["--device", "a", "--device", "b"], .repeated("--device")),
    (
      ["4/4", "120", "more"],
      .tooManyArguments("more", allowed: "demo takes METER TEMPO")
    ),
  ])
  func `what is wrong is named`(arguments: [String], error: OptionError) {
    #expect(throws: error) { try Self.parser.parse(arguments) }
  }

  @Test(arguments: ["abc", "", "nan", "inf", "-1", "501", "1e9", "0x", "0x10", "0x1p3"])
  func `a number outside its range is refused with the range and its unit`(text: String) throws {
    let parsed = try Self.parser.parse(["--offset", text])
    #expect(
      throws: OptionError.value("--offset", given: text, allowed: "0 to 500 ms")
    ) { try parsed.number("offset", in: 0...500, unit: "ms") }
  }

  @Test func `numbers, whole numbers and words are read`() throws {
    let parsed = try Self.parser.parse(["--offset", "12.5", "--device", "7"])
    #expect(try parsed.number("offset", in: 0...500) == 12.5)
    #expect(try parsed.integer("device", in: 1...9) == 7)
    #expect(throws: OptionError.self) { try parsed.integer("offset", in: 0...500) }
    #expect(throws: OptionError.self) { try parsed.choice("device", among: ["7.1", "stereo"]) }
    #expect(try parsed.choice("device", among: ["7", "8"]) == "7")
    #expect(try parsed.number("nothing", in: 0...1) == nil)
  }

  @Test func `the help names every option, argument and exit code, and fits its width`() {
    for width in [40, 60, 80, 200] {
      let text = Self.parser.helpText(width: width)
      for option in Self.parser.options { #expect(text.contains("--\(option.name)")) }
      for word in ["METER", "TEMPO", "NAME", "CIDR ...", "-h, --help", "--version"] {
        #expect(text.contains(word))
      }
      #expect(text.contains("Sound:\n"))
      #expect(text.contains("3  The port is taken."))
      for line in text.split(separator: "\n") { #expect(line.count <= max(width, 40)) }
    }
  }

  @Test func `hostile text is shortened and made printable before it is shown`() {
    let long = String(repeating: "x", count: 100_000)
    #expect(OptionError.unknown(long, suggestion: nil).description.count < 120)
    #expect(!OptionError.excerpt("a\u{1B}[2Jb").contains("\u{1B}"))
    #expect(throws: OptionError.self) { try Self.parser.parse(["--" + long]) }
  }
}
