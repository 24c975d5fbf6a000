import CommandLineOptions
import OSCProtocol
import OSCWire

/// `tactus completion`
enum CompletionCommand {
  static let command = Subcommand(
    "completion",
    OptionParser(
      command: "tactus completion", summary: "Print a completion script for bash, zsh or fish.",
      usage: "SHELL", positionals: [PositionalDeclaration("SHELL", "bash, zsh or fish.")],
      notes: [
        "Try:\n  source <(tactus completion bash)\n"
          + "  source <(tactus completion zsh)    (after compinit)\n"
          + "  tactus completion fish > ~/.config/fish/completions/tactus.fish"
      ])
  ) { (parsed, console) throws(CommandFailure) in
    guard let shell = parsed.arguments.first else {
      throw CommandFailure(.missingArgument("SHELL (bash, zsh or fish)"))
    }
    switch shell {
    case "bash": console.write(bash)
    case "zsh": console.write(zsh)
    case "fish": console.write(fish)
    default:
      throw CommandFailure(
        .choice(
          "SHELL", given: shell, allowed: ["bash", "zsh", "fish"],
          suggestion: NearestName.of(shell, among: ["bash", "zsh", "fish"])))
    }
    return 0
  }

  /// Words after a command: `osc` is followed by `list`, `ctl` by the addresses.
  private static func words(after prefix: [String]) -> [String] {
    var found: [String] = []
    let names =
      TactusProgram.commands.map { $0.name.split(separator: " ").map(String.init) }
      + OSCAddressTable.rows.filter { $0.access != .event && !$0.path.contains("<") }
      .map { ["ctl"] + $0.path.split(separator: "/").map(String.init) }
      + ["bash", "zsh", "fish"].map { ["completion", $0] }
      + ["touchosc", "open-stage-control"].map { ["layout", $0] }
    for name in names where name.count > prefix.count && name.starts(with: prefix) {
      if !found.contains(name[prefix.count]) { found.append(name[prefix.count]) }
    }
    return found
  }

  /// Every beginning that has words after it, with those.
  private static func branches() -> [(prefix: [String], words: [String])] {
    var result: [(prefix: [String], words: [String])] = []
    var open: [[String]] = [[]]
    while !open.isEmpty {
      let prefix = open.removeFirst()
      let next = words(after: prefix)
      guard !next.isEmpty else { continue }
      result.append((prefix, next))
      open += next.map { prefix + [$0] }
    }
    return result
  }

  private static func options(_ command: Subcommand) -> String {
    command.parser.options.map { "--\($0.name)" }.joined(separator: " ")
  }

  private static var bash: String {
    var text = "# Completion for tactus.\n_tactus() {\n"
    text += "  local word=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n"
    text += "  local line=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\"\n"
    text += "  COMPREPLY=()\n  if [[ \"$word\" == -* ]]; then\n    case \"$line\" in\n"
    for command in TactusProgram.commands {
      text += "      \"\(command.name)\"*) words=\"\(options(command))\" ;;\n"
    }
    text += "      *) words=\"--help --version\" ;;\n    esac\n  else\n    case \"$line\" in\n"
    for branch in branches() {
      let prefix = branch.prefix.joined(separator: " ")
      text += "      \"\(prefix)\") words=\"\(branch.words.joined(separator: " "))\" ;;\n"
    }
    text += "    esac\n  fi\n"
    text += "  if [[ -n \"$words\" ]]; then\n"
    text += "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    text += "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
    text += "complete -F _tactus tactus\n"
    return text
  }

  private static var zsh: String {
    var text = "#compdef tactus\n# Completion for tactus.\n_tactus() {\n"
    text += "  local line=\"${(j: :)words[2,CURRENT-1]}\"\n  local -a found\n"
    text += "  if [[ \"$PREFIX\" == -* ]]; then\n    case \"$line\" in\n"
    for command in TactusProgram.commands {
      text += "      \"\(command.name)\"*) found=(\(options(command))) ;;\n"
    }
    text += "      *) found=(--help --version) ;;\n    esac\n  else\n    case \"$line\" in\n"
    for branch in branches() {
      let prefix = branch.prefix.joined(separator: " ")
      text += "      \"\(prefix)\") found=(\(branch.words.joined(separator: " "))) ;;\n"
    }
    text += "    esac\n  fi\n"
    text += "  if (( $#found )); then compadd -- $found; else _files; fi\n}\n"
    // As a file of the function path it is called at once; sourced it is only made known.
    text += "if [[ \"$funcstack[1]\" == _tactus ]]; then _tactus \"$@\"; "
    text += "else compdef _tactus tactus; fi\n"
    return text
  }

  private static var fish: String {
    var text = "# Completion for tactus.\n"
    text += "function __tactus_after\n"
    text += "  set -l words (commandline -opc)\n"
    text += "  test \"$words[2..-1]\" = \"$argv[1]\"\nend\n"
    for branch in branches() {
      let prefix = branch.prefix.joined(separator: " ")
      text += "complete -c tactus -n '__tactus_after \"\(prefix)\"' "
      text += "-f -a '\(branch.words.joined(separator: " "))'\n"
    }
    text += "complete -c tactus -n '__fish_seen_subcommand_from ctl' -f\n"
    for command in TactusProgram.commands {
      let first = command.name.split(separator: " ").last ?? ""
      for option in command.parser.options {
        text += "complete -c tactus -n '__fish_seen_subcommand_from \(first)' -l \(option.name)"
        text += option.placeholder == nil ? "" : " -r"
        let help = String(option.help.map { $0 == "'" ? "\u{2019}" : $0 })
        text += " -d '\(help)'\n"
      }
    }
    return text
  }
}
