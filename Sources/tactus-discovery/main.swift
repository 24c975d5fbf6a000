import Discovery
import Glibc

exit(DiscoveryProgram.main(Array(CommandLine.arguments.dropFirst())))
