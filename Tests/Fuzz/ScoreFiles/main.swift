import Glibc

// Feeds the readers with what libFuzzer thinks up:
//   TACTUS_FUZZ=1 swift build -c release --scratch-path DIR --product score-fuzz
//   SWIFT_BACKTRACE=enable=no DIR/release/score-fuzz midi|klick|json CORPUS -max_total_time=600
exit(FuzzDriver.run())
