import CommandLineOptions
import Web
import Glibc

exit(WebProgram.main(ProgramArguments.given(fallback: CommandLine.arguments)))
