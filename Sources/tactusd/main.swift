import Glibc
import TactusDaemon

exit(Daemon.main(Array(CommandLine.arguments.dropFirst())))
