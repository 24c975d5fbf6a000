import CommandLineOptions
import Discovery
import Glibc

exit(DiscoveryProgram.main(ProgramArguments.given(fallback: CommandLine.arguments)))
