import Glibc
import TactusCommands

exit(TactusProgram.run(Array(CommandLine.arguments.dropFirst()), console: .standard()))
