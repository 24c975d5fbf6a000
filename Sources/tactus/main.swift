import CommandLineOptions
import Glibc
import TactusCommands

exit(
  TactusProgram.run(ProgramArguments.given(fallback: CommandLine.arguments), console: .standard()))
