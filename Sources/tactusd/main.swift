import CommandLineOptions
import Glibc
import TactusDaemon

exit(Daemon.main(ProgramArguments.given(fallback: CommandLine.arguments)))
