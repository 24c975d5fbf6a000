// flood PORT PID RATE SECONDS: throws OSC packets at tactusd, asks it every 100 ms to answer a ping
// and reads its memory; at the end a stop must be obeyed. Prints one line of key=value.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long memory(const char *pid) {
  char path[64], line[256];
  long kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%s/status", pid);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kilobytes);
  if (file) fclose(file);
  return kilobytes;
}

static int padded(char *to, const char *text) {
  int length = (int)strlen(text) / 4 * 4 + 4;
  memset(to, 0, (size_t)length);
  memcpy(to, text, strlen(text));
  return length;
}

static int word(char *to, uint32_t value) {
  value = htonl(value);
  memcpy(to, &value, 4);
  return 4;
}

static int client(const struct sockaddr_in *server) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct timeval wait = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  connect(fd, (const struct sockaddr *)server, sizeof *server);
  return fd;
}

// Nanoseconds until the pong, -1 where none came within a second.
static int64_t ping(int fd) {
  char packet[64], answer[65536];
  int length = padded(packet, "/tactus/ping");
  length += padded(packet + length, ",i");
  static uint32_t token = 1;
  length += word(packet + length, ++token);
  int64_t start = now();
  send(fd, packet, (size_t)length, 0);
  for (;;) {
    ssize_t got = recv(fd, answer, sizeof answer, 0);
    if (got < 0) return -1;
    if (got >= 20 && strcmp(answer, "/tactus/pong") == 0 &&
        memcmp(answer + got - 4, packet + length - 4, 4) == 0)
      return now() - start;
  }
}

static int ask(int fd, const char *address, char *answer, size_t room) {
  char packet[64];
  int length = padded(packet, address);
  length += padded(packet + length, ",");
  send(fd, packet, (size_t)length, 0);
  for (;;) {
    ssize_t got = recv(fd, answer, room, 0);
    if (got < 0) return -1;
    if (strncmp(answer, "/tactus/error", 13) != 0 && strcmp(answer, "/tactus/pong") != 0)
      return (int)got;
  }
}

// The integer that a bundle has at an address.
static long in_bundle(const char *bundle, int length, const char *address) {
  for (int at = 0; at + (int)strlen(address) + 8 < length; at += 4)
    if (strcmp(bundle + at, address) == 0) {
      const char *tags = bundle + at + strlen(address) / 4 * 4 + 4;
      uint32_t value;
      // Of 64 bits the lower half is enough.
      memcpy(&value, tags + (tags[1] == 'h' ? 8 : 4), 4);
      return (long)ntohl(value);
    }
  return -1;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  struct sockaddr_in server = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)atoi(arguments[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int64_t rate = atoll(arguments[3]), seconds = atoll(arguments[4]), sent = 0, worst = 0, lost = 0;
  int attacker = client(&server), musician = client(&server);
  char answer[65536];
  int length = ask(musician, "/tactus/stats", answer, sizeof answer);
  long before = in_bundle(answer, length, "/tactus/stats/osc/packets");
  long memory_before = memory(arguments[2]), memory_most = 0;
  int64_t start = now(), asked = start;
  char packet[128];
  while (now() - start < seconds * 1000000000LL) {
    int64_t due = (now() - start) / 1000 * rate / 1000000;
    for (; sent < due; sent++) {
      // Good values, bad ones, other programs' words and rubbish in turn.
      static const char *addresses[] = {"/tactus/volume", "/tactus/tempo", "/1/fader1",
                                        "/tactus/nothing"};
      int size = padded(packet, addresses[sent & 3]);
      size += padded(packet + size, ",f");
      float value = (float)(sent % 1000) / 1000;
      uint32_t bits;
      memcpy(&bits, &value, 4);
      size += word(packet + size, bits);
      if (sent % 97 == 0) size -= 5;
      send(attacker, packet, (size_t)size, MSG_DONTWAIT);
    }
    // Its errors are thrown away.
    while (recv(attacker, answer, sizeof answer, MSG_DONTWAIT) > 0) {
    }
    if (now() - asked > 100000000) {
      asked = now();
      int64_t took = ping(musician);
      if (took < 0) lost++;
      if (took > worst) worst = took;
      long present = memory(arguments[2]);
      if (present > memory_most) memory_most = present;
    }
  }
  double took = (double)(now() - start) / 1e9;
  // A stop among the flood's last packets.
  length = padded(packet, "/tactus/stop");
  length += padded(packet + length, ",");
  send(attacker, packet, (size_t)length, 0);
  usleep(300000);
  ping(musician);
  length = ask(musician, "/tactus/transport", answer, sizeof answer);
  int stopped = length > 0 && memmem(answer, (size_t)length, "stopped", 7) != NULL;
  length = ask(musician, "/tactus/stats", answer, sizeof answer);
  long taken = in_bundle(answer, length, "/tactus/stats/osc/packets") - before;
  printf("flood sent=%lld per_second=%.0f taken=%ld over_rate=%ld malformed=%ld pings_lost=%lld "
         "worst_ping_ms=%.1f rss_before_kb=%ld rss_most_kb=%ld rss_after_kb=%ld xruns=%ld "
         "stopped=%s\n",
         (long long)sent, (double)sent / took, taken,
         in_bundle(answer, length, "/tactus/stats/osc/overrate"),
         in_bundle(answer, length, "/tactus/stats/osc/malformed"), (long long)lost,
         (double)worst / 1e6, memory_before, memory_most, memory(arguments[2]),
         in_bundle(answer, length, "/tactus/stats/xruns"), stopped ? "yes" : "no");
  return stopped ? 0 : 1;
}
