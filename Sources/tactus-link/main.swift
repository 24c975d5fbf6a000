import CommandLineOptions
import Glibc
import LinkPeer

exit(LinkProgram.main(ProgramArguments.given(fallback: CommandLine.arguments)))
