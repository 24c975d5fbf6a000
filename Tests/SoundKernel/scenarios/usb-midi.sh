# A USB MIDI device is plugged in after the start, pulled and plugged in again while the clock runs.
# The device is the kernel's own USB gadget; its far end is read as the drum machine would.
# checks: 6
# programs: tactusd
# modules: libcomposite dummy_hcd usb_f_midi snd-usb-audio
. ./lib.sh
mount -t configfs configfs /sys/kernel/config
gadget=/sys/kernel/config/usb_gadget/drum
mkdir $gadget
cd $gadget || exit 1
echo 0x1d6b >idVendor
echo 0x0104 >idProduct
mkdir -p strings/0x409 configs/c.1 functions/midi.0
echo "Drum Machine" >strings/0x409/product
ln -s functions/midi.0 configs/c.1/
plug() { echo dummy_udc.0 >$gadget/UDC; }
pull() { echo >$gadget/UDC; }

daemon 4/4 120 --device hw:Dummy,0 --midi-connect "Drum Machine"
sleep 2
plug
sleep 2
probe --from f_midi --seconds 4 --bpm 120
wait $probe
cat /out/probe
within "pulses reach the device" "$(value /out/probe 'clock ' n)" 190 194
equal "none is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "USB adds little jitter" "$(value /out/probe 'arrival residual_us' spread)" 0 500 us
pull
sleep 3
plug
sleep 2
probe --from f_midi --seconds 4 --bpm 120
wait $probe
cat /out/probe
within "pulses reach it again" "$(value /out/probe 'clock ' n)" 190 194
equal "none is lost or comes twice then" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
stop_daemon
equal "it ended well" "$daemon_status" 0
