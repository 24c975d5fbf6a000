// pulsegen: sends MIDI clock with planted faults, to prove that clockprobe finds them.
//   pulsegen BPM COUNT [--lose N] [--double N] [--late N US]
// Waits for a subscriber, sends Start, COUNT pulses at absolute CLOCK_MONOTONIC deadlines, then Stop.
// Pulse N (from 0) is left out, sent twice, or sent US microseconds late.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static snd_seq_t *seq;

static void send(int port, int type) {
  snd_seq_event_t event;
  snd_seq_ev_clear(&event);
  event.type = type;
  snd_seq_ev_set_source(&event, port);
  snd_seq_ev_set_subs(&event);
  snd_seq_ev_set_direct(&event);
  snd_seq_event_output_direct(seq, &event);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  double bpm = atof(argv[1]);
  long count = atol(argv[2]), lose = -1, twice = -1, late = -1, lateMicroseconds = 0;
  for (int i = 3; i + 1 < argc; i++) {
    if (!strcmp(argv[i], "--lose")) lose = atol(argv[++i]);
    else if (!strcmp(argv[i], "--double")) twice = atol(argv[++i]);
    else if (!strcmp(argv[i], "--late") && i + 2 < argc) {
      late = atol(argv[++i]);
      lateMicroseconds = atol(argv[++i]);
    }
  }
  mlockall(MCL_CURRENT | MCL_FUTURE);
  struct sched_param priority = {.sched_priority = 50};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  if (snd_seq_open(&seq, "default", SND_SEQ_OPEN_OUTPUT, 0) < 0) return 1;
  snd_seq_set_client_name(seq, "pulsegen");
  int port = snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                                        SND_SEQ_PORT_TYPE_MIDI_GENERIC);
  snd_seq_query_subscribe_t *query;
  snd_seq_query_subscribe_alloca(&query);
  snd_seq_addr_t self = {.client = snd_seq_client_id(seq), .port = port};
  snd_seq_query_subscribe_set_root(query, &self);
  snd_seq_query_subscribe_set_type(query, SND_SEQ_QUERY_SUBS_READ);
  do {
    usleep(10000);
    snd_seq_query_subscribe_set_index(query, 0);
  } while (snd_seq_query_port_subscribers(seq, query) < 0);

  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  long long first = start.tv_sec * 1000000000LL + start.tv_nsec + 100000000;
  send(port, SND_SEQ_EVENT_START);
  for (long i = 0; i < count; i++) {
    long long due = first + (long long)(i * 60e9 / (bpm * 24)) + (i == late ? lateMicroseconds * 1000 : 0);
    struct timespec until = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    if (i != lose) send(port, SND_SEQ_EVENT_CLOCK);
    if (i == twice) send(port, SND_SEQ_EVENT_CLOCK);
  }
  send(port, SND_SEQ_EVENT_STOP);
  usleep(500000);
  return 0;
}
