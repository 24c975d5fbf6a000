# Cost of klick and jackd playing at 120 bpm on snd-dummy, 48 kHz, period 256.
# checks: 1
# programs: jackd klick jack_lsp /usr/lib/x86_64-linux-gnu/jack/jack_alsa.so /usr/share/klick
. ./lib.sh
. ./cost.sh
export JACK_NO_AUDIO_RESERVATION=1 JACK_NO_START_SERVER=1
jackd -R -P 70 -d alsa -P hw:Dummy,0 -r 48000 -p 256 -n 3 >/out/jackd.log 2>&1 &
server=$!
until_true 20 jack_lsp system
klick -P -e 4/4 120 >/out/klick.log 2>&1 &
klick=$!
sleep 5
cost klick $klick >/out/cost &
cost jackd $server >/out/cost-jackd
wait %%
cat /out/cost-jackd >>/out/cost
cat /out/cost
jack_lsp -c >/out/ports
check "it played to the end" kill -0 $klick
