# `default` of a USB card and of an HDA codec is dmix on that card: it plays at the first try, as their own
# periods do.
# checks: 12
# apart: one check failed when it was last run
# programs: tactusd tactus
# modules: xhci-pci snd-usb-audio snd-hda-codec-generic snd-hda-intel
# qemu: -audiodev none,id=a0 -audiodev none,id=a1 -device qemu-xhci -device usb-audio,audiodev=a0 -device intel-hda -device hda-duplex,audiodev=a1
. ./lib.sh
until_true 10 grep -q HDA-Intel /proc/asound/cards
until_true 10 grep -q USB-Audio /proc/asound/cards
cat /proc/asound/cards
for card in Intel Audio; do
  for kind in default dmix hw; do
    : >/out/tactusd.log
    daemon 4/4 120 --device $kind:CARD=$card --rate 48000
    sleep 5
    tactus ctl stats >/tmp/stats
    stop_daemon
    check "$kind:CARD=$card plays" grep "$kind:CARD=$card' plays at 48000" /out/tactusd.log
    equal "$kind:CARD=$card plays without a break" \
      "$(sed -n 's/^stats\/\(xruns\|missing\|losses\) //p' /tmp/stats | tr '\n' ' ')" "0 0 0 "
    cat /out/tactusd.log
  done
done
