// pcmcapture: records a card into a WAV file and says at which CLOCK_MONOTONIC instant each frame
// passed: a line fitted through the card's own positions and time stamps.
//
//   pcmcapture DEVICE --wav FILE [--format S16_LE|S24_3LE|S32_LE|FLOAT_LE] [--rate HZ] [--channels N]
//              [--period N] [--seconds S] [--ready FILE]
//
// Prints `frame0_ns=... ns_per_frame=... residual_us=... frames=... xruns=...`. SIGTERM ends it as
// --seconds does. Exit status 1 when the card cannot be opened or read.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { stampCapacity = 1 << 20 };

static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static void check(int result, const char *call) {
  if (result >= 0) return;
  fprintf(stderr, "pcmcapture: %s: %s\n", call, snd_strerror(result));
  exit(1);
}

static void put(FILE *file, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) fputc(value >> (8 * i) & 255, file);
}

static void writeWAV(const char *path, snd_pcm_format_t format, unsigned rate, unsigned channels,
                     const char *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    perror(path);
    exit(1);
  }
  int bits = snd_pcm_format_physical_width(format);
  fwrite("RIFF", 1, 4, file);
  put(file, 36 + bytes, 4);
  fwrite("WAVEfmt ", 1, 8, file);
  put(file, 16, 4);
  put(file, format == SND_PCM_FORMAT_FLOAT_LE ? 3 : 1, 2);
  put(file, channels, 2);
  put(file, rate, 4);
  put(file, rate * channels * bits / 8, 4);
  put(file, channels * bits / 8, 2);
  put(file, bits, 2);
  fwrite("data", 1, 4, file);
  put(file, bytes, 4);
  fwrite(data, 1, bytes, file);
  fclose(file);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const char *wav = "capture.wav", *ready = NULL;
  snd_pcm_format_t format = SND_PCM_FORMAT_S16_LE;
  unsigned rate = 48000, channels = 2;
  snd_pcm_uframes_t period = 1024;
  double seconds = 60;
  for (int i = 2; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    if (!strcmp(argv[i], "--wav")) wav = value;
    else if (!strcmp(argv[i], "--format")) format = snd_pcm_format_value(value);
    else if (!strcmp(argv[i], "--rate")) rate = atoi(value);
    else if (!strcmp(argv[i], "--channels")) channels = atoi(value);
    else if (!strcmp(argv[i], "--period")) period = atol(value);
    else if (!strcmp(argv[i], "--seconds")) seconds = atof(value);
    else if (!strcmp(argv[i], "--ready")) ready = value;
    else return 2;
  }
  snd_pcm_t *pcm;
  check(snd_pcm_open(&pcm, argv[1], SND_PCM_STREAM_CAPTURE, 0), "snd_pcm_open");
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  check(snd_pcm_hw_params_any(pcm, hardware), "snd_pcm_hw_params_any");
  check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "access");
  check(snd_pcm_hw_params_set_format(pcm, hardware, format), "format");
  check(snd_pcm_hw_params_set_channels(pcm, hardware, channels), "channels");
  check(snd_pcm_hw_params_set_rate(pcm, hardware, rate, 0), "rate");
  check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, 0), "period");
  snd_pcm_uframes_t buffer = period * 16;
  check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer");
  check(snd_pcm_hw_params(pcm, hardware), "snd_pcm_hw_params");
  snd_pcm_sw_params_t *software;
  snd_pcm_sw_params_alloca(&software);
  snd_pcm_sw_params_current(pcm, software);
  snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE);
  snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC);
  snd_pcm_sw_params_set_avail_min(pcm, software, period);
  check(snd_pcm_sw_params(pcm, software), "snd_pcm_sw_params");

  size_t frameBytes = snd_pcm_frames_to_bytes(pcm, 1);
  size_t capacity = (size_t)((seconds + 1) * rate);
  char *data = malloc(capacity * frameBytes);
  double *positions = calloc(stampCapacity, sizeof *positions);
  double *times = calloc(stampCapacity, sizeof *times);
  mlockall(MCL_CURRENT);
  struct sched_param priority = {.sched_priority = 90};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);

  check(snd_pcm_start(pcm), "snd_pcm_start");
  if (ready) close(open(ready, O_CREAT | O_WRONLY | O_TRUNC, 0644));
  size_t frames = 0;
  long stamps = 0, xruns = 0;
  snd_pcm_status_t *status;
  snd_pcm_status_alloca(&status);
  while (!ended && frames + period <= capacity && frames < seconds * rate) {
    int waited = snd_pcm_wait(pcm, 500);
    // The position that belongs to the stamp: what was read plus what waits to be read.
    if (waited > 0 && snd_pcm_status(pcm, status) >= 0 && stamps < stampCapacity) {
      snd_htimestamp_t stamp;
      snd_pcm_status_get_htstamp(status, &stamp);
      if (stamp.tv_sec || stamp.tv_nsec) {
        positions[stamps] = frames + snd_pcm_status_get_avail(status);
        times[stamps++] = stamp.tv_sec * 1e9 + stamp.tv_nsec;
      }
    }
    snd_pcm_sframes_t got = snd_pcm_readi(pcm, data + frames * frameBytes, period);
    if (got == -EPIPE) {
      xruns++;
      snd_pcm_prepare(pcm);
      snd_pcm_start(pcm);
      continue;
    }
    if (got == -EINTR || got == -EAGAIN) continue;
    check(got, "snd_pcm_readi");
    frames += got;
  }
  // The first stamps are older than the stream's start on a loopback card.
  long skip = stamps > 20 ? 10 : 0, n = stamps - skip;
  double x = 0, y = 0, xx = 0, xy = 0, worst = 0;
  double *p = positions + skip, *t = times + skip;
  for (long i = 0; i < n; i++) x += p[i] / n, y += (t[i] - t[0]) / n;
  for (long i = 0; i < n; i++) {
    xx += (p[i] - x) * (p[i] - x);
    xy += (p[i] - x) * (t[i] - t[0] - y);
  }
  double slope = xx > 0 ? xy / xx : 0, first = n > 0 ? t[0] + y - slope * x : 0;
  for (long i = 0; i < n; i++) worst = fmax(worst, fabs(t[i] - first - slope * p[i]));
  printf("frame0_ns=%.0f ns_per_frame=%.6f residual_us=%.1f frames=%zu xruns=%ld\n", first, slope,
         worst / 1e3, frames, xruns);
  writeWAV(wav, format, rate, channels, data, frames * frameBytes);
  snd_pcm_close(pcm);
  return 0;
}
