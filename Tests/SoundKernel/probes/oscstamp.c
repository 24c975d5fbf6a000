// oscstamp: writes down every OSC message that arrives by UDP with the instant of its arrival
// (CLOCK_MONOTONIC), as a receiver would act that does not look at time tags. Nothing is written while
// it listens; then one line a message: arrival ns, address, arguments.
//
//   --port N            listens on this port (default: any free one)
//   --subscribe H:P     asks the daemon at address H, port P, for its beats, every ten seconds
//   --ready FILE        made when it listens
//   --seconds S         ends after S seconds; SIGTERM ends it too
//
// Exit status: 0, 1 when the socket cannot be had, 2 for a wrong argument.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { capacity = 1 << 17, longest = 256 };

typedef struct {
  int64_t arrival;
  uint16_t length;
  uint8_t bytes[longest];
} packet_t;

static packet_t *packets;
static long packetCount, overrun;
static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// OSC pads strings with zeros to a multiple of four, at least one.
static size_t padded(const uint8_t *bytes, size_t length) {
  size_t used = (strnlen((const char *)bytes, length) + 4) & ~(size_t)3;
  return used <= length ? used : length;
}

static uint32_t word(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, 4);
  return be32toh(value);
}

static uint64_t longWord(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, 8);
  return be64toh(value);
}

static void print(int64_t arrival, const uint8_t *bytes, size_t length) {
  if (length >= 16 && memcmp(bytes, "#bundle", 8) == 0) {
    size_t at = 16;
    while (at + 4 <= length) {
      size_t size = word(bytes + at);
      at += 4;
      if (size > length - at) return;
      print(arrival, bytes + at, size);
      at += size;
    }
    return;
  }
  size_t at = padded(bytes, length);
  if (at == 0 || at >= length || bytes[at - 1] != 0) return;
  printf("%lld %s", (long long)arrival, (const char *)bytes);
  const char *types = (const char *)bytes + at + 1;
  at += padded(bytes + at, length - at);
  if (bytes[at - 1] != 0) {
    printf("\n");
    return;
  }
  for (; *types; types++) {
    size_t left = length - at;
    if (*types == 'i' && left >= 4) printf(" %d", (int32_t)word(bytes + at));
    else if (*types == 'f' && left >= 4) {
      uint32_t bits = word(bytes + at);
      float value;
      memcpy(&value, &bits, 4);
      printf(" %g", (double)value);
    } else if ((*types == 'h' || *types == 't') && left >= 8)
      printf(" %lld", (long long)longWord(bytes + at));
    else if (*types == 's' && left >= 4 && memchr(bytes + at, 0, left))
      printf(" %s", (const char *)bytes + at);
    else break;
    at += *types == 's' ? padded(bytes + at, left) : *types == 'h' || *types == 't' ? 8 : 4;
  }
  printf("\n");
}

int main(int count, char **words) {
  int port = 0;
  const char *ready = NULL;
  struct sockaddr_in daemon = {.sin_family = AF_INET};
  double seconds = 1e9;
  for (int i = 1; i < count; i += 2) {
    const char *value = i + 1 < count ? words[i + 1] : NULL;
    char *colon;
    if (value && !strcmp(words[i], "--port")) port = atoi(value);
    else if (value && !strcmp(words[i], "--ready")) ready = value;
    else if (value && !strcmp(words[i], "--seconds")) seconds = atof(value);
    else if (value && !strcmp(words[i], "--subscribe") && (colon = strrchr(value, ':'))) {
      char host[64] = {0};
      memcpy(host, value, colon - value < 63 ? (size_t)(colon - value) : 63);
      daemon.sin_port = htons((uint16_t)atoi(colon + 1));
      if (inet_pton(AF_INET, host, &daemon.sin_addr) != 1) return 2;
    } else {
      fprintf(stderr, "oscstamp: %s is unknown or lacks its value\n", words[i]);
      return 2;
    }
  }
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&own, sizeof own) < 0) {
    fprintf(stderr, "oscstamp: port %d: %s\n", port, strerror(errno));
    return 1;
  }
  packets = calloc(capacity, sizeof *packets);
  if (!packets) return 1;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  struct sched_param priority = {.sched_priority = 60};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  if (ready) close(open(ready, O_CREAT | O_WRONLY, 0644));

  static const uint8_t subscribe[] = "/tactus/subscribe\0\0\0,isi\0\0\0\0\0\0\0\0beat\0\0\0\0\0\0\0\074";
  int64_t last = now() + (int64_t)(seconds * 1e9), next = now();
  while (!ended && now() < last) {
    if (daemon.sin_port && now() >= next) {
      // The string's own terminating zero is not part of the packet.
      sendto(descriptor, subscribe, sizeof subscribe - 1, 0, (struct sockaddr *)&daemon, sizeof daemon);
      next = now() + 10000000000LL;
    }
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    if (poll(&wanted, 1, 200) <= 0) continue;
    if (packetCount == capacity) {
      uint8_t lost[longest];
      recv(descriptor, lost, sizeof lost, MSG_DONTWAIT);
      overrun++;
      continue;
    }
    packet_t *packet = &packets[packetCount];
    ssize_t length = recv(descriptor, packet->bytes, longest, MSG_DONTWAIT);
    if (length <= 0) continue;
    packet->arrival = now();
    packet->length = (uint16_t)length;
    packetCount++;
  }
  for (long i = 0; i < packetCount; i++) print(packets[i].arrival, packets[i].bytes, packets[i].length);
  if (overrun) fprintf(stderr, "oscstamp: %ld packets were too many\n", overrun);
  return 0;
}
