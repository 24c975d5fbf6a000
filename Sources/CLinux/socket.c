#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static void from_sockaddr(const struct sockaddr_storage *from, clinux_endpoint *to) {
  memset(to, 0, sizeof *to);
  if (from->ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
    memcpy(to->address, mapped_prefix, 12);
    memcpy(to->address + 12, &v4->sin_addr, 4);
    to->port = ntohs(v4->sin_port);
  } else if (from->ss_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;
    memcpy(to->address, &v6->sin6_addr, 16);
    to->port = ntohs(v6->sin6_port);
    to->scope = v6->sin6_scope_id;
  }
}

static socklen_t to_sockaddr(const clinux_endpoint *from, int family, struct sockaddr_storage *to) {
  memset(to, 0, sizeof *to);
  if (family == AF_INET) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)to;
    v4->sin_family = AF_INET;
    memcpy(&v4->sin_addr, from->address + 12, 4);
    v4->sin_port = htons(from->port);
    return sizeof *v4;
  }
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
  v6->sin6_family = AF_INET6;
  memcpy(&v6->sin6_addr, from->address, 16);
  v6->sin6_port = htons(from->port);
  v6->sin6_scope_id = from->scope;
  return sizeof *v6;
}

static int family_of(int socket) {
  int family = AF_INET6;
  socklen_t length = sizeof family;
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &length);
  return family;
}

static int open_bound(int type, uint16_t port, int family) {
  int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int off = 0, on = 1;
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (type == SOCK_STREAM) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  clinux_endpoint any = {.port = port};
  struct sockaddr_storage address;
  socklen_t length = to_sockaddr(&any, family, &address);
  if (bind(fd, (struct sockaddr *)&address, length) < 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

static int open_dual(int type, uint16_t port) {
  int fd = open_bound(type, port, AF_INET6);
  if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL) fd = open_bound(type, port, AF_INET);
  return fd;
}

int clinux_udp_open(uint16_t port) {
  int fd = open_dual(SOCK_DGRAM, port);
  if (fd < 0) return fd;
  int room = 512 * 1024, on = 1;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  // The interface of each datagram: a source address can be forged, an interface cannot. On a
  // dual-stack socket the first tells it for IPv4 too.
  if (setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) < 0)
    setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  return fd;
}

int clinux_udp_connect(int socket, const clinux_endpoint *peer) {
  struct sockaddr_storage address;
  socklen_t length = to_sockaddr(peer, family_of(socket), &address);
  return connect(socket, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

int clinux_tcp_listen(uint16_t port) {
  int fd = open_dual(SOCK_STREAM, port);
  if (fd < 0) return fd;
  if (listen(fd, 64) < 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

static void send_at_once(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int clinux_tcp_connect(const clinux_endpoint *peer) {
  int family = memcmp(peer->address, mapped_prefix, 12) == 0 ? AF_INET : AF_INET6;
  int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  send_at_once(fd);
  struct sockaddr_storage address;
  socklen_t length = to_sockaddr(peer, family, &address);
  if (connect(fd, (struct sockaddr *)&address, length) < 0 && errno != EINPROGRESS) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

int clinux_tcp_accept(int listener, clinux_endpoint *peer) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  int fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return -errno;
  send_at_once(fd);
  from_sockaddr(&address, peer);
  return fd;
}

int clinux_local_port(int socket) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) < 0) return -errno;
  clinux_endpoint local;
  from_sockaddr(&address, &local);
  return local.port;
}

int clinux_socket_error(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
  return error;
}

enum { batch_limit = 32 };

// The loopback interface is the first of every network namespace (LOOPBACK_IFINDEX).
enum { loopback_index = 1 };

// To one of our own addresses beside the loopback ones a program of this machine sends through the
// loopback interface too, but the kernel then names the interface that has the address.
static uint8_t arrival_of(struct msghdr *header) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      if (info.ipi6_ifindex == loopback_index) return clinux_by_loopback;
      return memcmp(&info.ipi6_addr, mapped_prefix, 12) == 0 ? clinux_by_ipv4 : clinux_by_ipv6;
    }
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      return info.ipi_ifindex == loopback_index ? clinux_by_loopback : clinux_by_ipv4;
    }
  }
  return clinux_by_ipv6;
}

int clinux_receive_batch(int socket, uint8_t *bytes, size_t stride, int count, int *lengths,
                         clinux_endpoint *sources, uint8_t *arrivals) {
  struct mmsghdr headers[batch_limit];
  struct iovec parts[batch_limit];
  struct sockaddr_storage addresses[batch_limit];
  union {
    char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct in_pktinfo))];
    struct cmsghdr alignment;
  } controls[batch_limit];
  if (count > batch_limit) count = batch_limit;
  memset(headers, 0, sizeof headers);
  for (int n = 0; n < count; n++) {
    parts[n].iov_base = bytes + (size_t)n * stride;
    parts[n].iov_len = stride;
    headers[n].msg_hdr.msg_iov = &parts[n];
    headers[n].msg_hdr.msg_iovlen = 1;
    headers[n].msg_hdr.msg_name = &addresses[n];
    headers[n].msg_hdr.msg_namelen = sizeof addresses[n];
    headers[n].msg_hdr.msg_control = &controls[n];
    headers[n].msg_hdr.msg_controllen = sizeof controls[n];
  }
  int taken = recvmmsg(socket, headers, (unsigned)count, MSG_DONTWAIT, NULL);
  if (taken < 0) return -errno;
  for (int n = 0; n < taken; n++) {
    lengths[n] = headers[n].msg_hdr.msg_flags & MSG_TRUNC ? -1 : (int)headers[n].msg_len;
    from_sockaddr(&addresses[n], &sources[n]);
    if (arrivals) arrivals[n] = arrival_of(&headers[n].msg_hdr);
  }
  return taken;
}

int clinux_send_to_all(int socket, const uint8_t *bytes, size_t length,
                       const clinux_endpoint *peers, int count) {
  struct mmsghdr headers[batch_limit];
  struct sockaddr_storage addresses[batch_limit];
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  int family = family_of(socket), sent = 0, start = 0;
  while (start < count) {
    int size = count - start < batch_limit ? count - start : batch_limit;
    memset(headers, 0, sizeof headers);
    for (int n = 0; n < size; n++) {
      headers[n].msg_hdr.msg_iov = &part;
      headers[n].msg_hdr.msg_iovlen = 1;
      headers[n].msg_hdr.msg_name = &addresses[n];
      headers[n].msg_hdr.msg_namelen = to_sockaddr(&peers[start + n], family, &addresses[n]);
    }
    int first = 0;
    while (first < size) {
      int left = sendmmsg(socket, headers + first, (unsigned)(size - first),
                          MSG_DONTWAIT | MSG_NOSIGNAL);
      if (left > 0) {
        sent += left;
        first += left;
      } else if (left < 0 && errno == EINTR) {
        continue;
      } else {
        first += 1;  // this peer cannot be reached now; the others can
      }
    }
    start += size;
  }
  return sent;
}

long clinux_stream_read(int socket, uint8_t *bytes, size_t length) {
  ssize_t got = recv(socket, bytes, length, MSG_DONTWAIT);
  return got < 0 ? -errno : got;
}

long clinux_stream_write(int socket, const uint8_t *bytes, size_t length) {
  ssize_t sent = send(socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

static uint8_t bits_of(const uint8_t *mask, int bytes) {
  uint8_t bits = 0;
  for (int n = 0; n < bytes; n++)
    for (int bit = 7; bit >= 0; bit--) {
      if (!(mask[n] >> bit & 1)) return bits;
      bits++;
    }
  return bits;
}

int clinux_attached_networks(clinux_network *networks, int count) {
  struct ifaddrs *list = NULL;
  if (getifaddrs(&list) < 0) return -errno;
  int found = 0;
  for (struct ifaddrs *entry = list; entry && found < count; entry = entry->ifa_next) {
    if (!entry->ifa_addr || !entry->ifa_netmask || !(entry->ifa_flags & IFF_UP)) continue;
    clinux_endpoint address;
    if (entry->ifa_addr->sa_family == AF_INET) {
      from_sockaddr((const struct sockaddr_storage *)entry->ifa_addr, &address);
      const struct sockaddr_in *mask = (const struct sockaddr_in *)entry->ifa_netmask;
      networks[found].prefix_bits = 96 + bits_of((const uint8_t *)&mask->sin_addr, 4);
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      from_sockaddr((const struct sockaddr_storage *)entry->ifa_addr, &address);
      const struct sockaddr_in6 *mask = (const struct sockaddr_in6 *)entry->ifa_netmask;
      networks[found].prefix_bits = bits_of((const uint8_t *)&mask->sin6_addr, 16);
    } else {
      continue;
    }
    memcpy(networks[found].address, address.address, 16);
    found++;
  }
  freeifaddrs(list);
  return found;
}

int clinux_resolve(const char *host, uint16_t port, clinux_endpoint *peer) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM}, *list = NULL;
  if (getaddrinfo(host, NULL, &hints, &list) != 0) return -EHOSTUNREACH;
  // IPv4 first where a name has both: tablets and lamp desks listen there.
  struct addrinfo *best = list;
  for (struct addrinfo *entry = list; entry; entry = entry->ai_next)
    if (entry->ai_family == AF_INET) {
      best = entry;
      break;
    }
  struct sockaddr_storage address;
  memset(&address, 0, sizeof address);
  memcpy(&address, best->ai_addr, best->ai_addrlen);
  freeaddrinfo(list);
  from_sockaddr(&address, peer);
  peer->port = port;
  return 0;
}

int clinux_parse_address(const char *text, uint8_t address[16], int *is_ipv4) {
  memcpy(address, mapped_prefix, 12);
  *is_ipv4 = inet_pton(AF_INET, text, address + 12) == 1;
  if (*is_ipv4) return 0;
  return inet_pton(AF_INET6, text, address) == 1 ? 0 : -EINVAL;
}

void clinux_format_address(const uint8_t address[16], char *text) {
  if (memcmp(address, mapped_prefix, 12) == 0)
    inet_ntop(AF_INET, address + 12, text, 64);
  else
    inet_ntop(AF_INET6, address, text, 64);
}

int clinux_socket_peer(int socket, clinux_endpoint *peer) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getpeername(socket, (struct sockaddr *)&address, &length) != 0) return -errno;
  from_sockaddr(&address, peer);
  return 0;
}

int clinux_socket_own(int socket, clinux_endpoint *own) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -errno;
  from_sockaddr(&address, own);
  return 0;
}
