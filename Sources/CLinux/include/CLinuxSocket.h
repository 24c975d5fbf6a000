// Sockets for OSC: what needs sockaddr unions, cmsg or batch calls, which Swift cannot spell well.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// One end of a conversation. IPv4 stands as an IPv4-mapped IPv6 address (::ffff:a.b.c.d).
typedef struct {
  uint8_t address[16];
  uint16_t port;
  uint32_t scope;
} clinux_endpoint;

/// A network that an interface of this machine is attached to.
typedef struct {
  uint8_t address[16];
  uint8_t prefix_bits;
} clinux_network;

// Every call returns a negative errno on failure. Sockets are non-blocking and close on exec.

/// Bound to every address of this machine, IPv6 and IPv4 on one socket where the kernel has IPv6.
int clinux_udp_open(uint16_t port);
/// Ties a UDP socket to one peer: only its datagrams come in, and a refusal is an error.
int clinux_udp_connect(int socket, const clinux_endpoint *peer);
int clinux_tcp_listen(uint16_t port);
/// A connection attempt to `peer` goes on in the background; writable when it is done.
int clinux_tcp_connect(const clinux_endpoint *peer);
int clinux_tcp_accept(int listener, clinux_endpoint *peer);
int clinux_local_port(int socket);
/// The pending error of a socket, 0 where there is none.
int clinux_socket_error(int socket);

/// How a datagram came in: on the loopback interface, or on another as IPv4 or IPv6.
enum { clinux_by_ipv6 = 0, clinux_by_ipv4 = 1, clinux_by_loopback = 2 };

/// Takes up to `count` (at most 32) datagrams without waiting; datagram n lies at `bytes` + n x
/// `stride`. A datagram longer than `stride` has length -1. `arrivals`, unless NULL, says how each
/// came in. Returns how many were taken.
int clinux_receive_batch(int socket, uint8_t *bytes, size_t stride, int count, int *lengths,
                         clinux_endpoint *sources, uint8_t *arrivals);
/// Sends one datagram to each of `peers`; a peer that cannot be reached is passed over. Returns how
/// many left.
int clinux_send_to_all(int socket, const uint8_t *bytes, size_t length,
                       const clinux_endpoint *peers, int count);
/// Stream read and write without waiting and without SIGPIPE.
long clinux_stream_read(int socket, uint8_t *bytes, size_t length);
long clinux_stream_write(int socket, const uint8_t *bytes, size_t length);

/// The networks of the interfaces that are up. Returns how many.
int clinux_attached_networks(clinux_network *networks, int count);
/// Finds a host by number or name (may ask the resolver and wait). Returns 0 or -EHOSTUNREACH.
int clinux_resolve(const char *host, uint16_t port, clinux_endpoint *peer);
/// Reads a numeric address. Returns 0, or -EINVAL.
int clinux_parse_address(const char *text, uint8_t address[16], int *is_ipv4);
/// The address as people write it; `text` has room for 64 bytes.
void clinux_format_address(const uint8_t address[16], char *text);

/// The two ends of a connected socket. Returns 0 or a negative errno.
int clinux_socket_peer(int socket, clinux_endpoint *peer);
int clinux_socket_own(int socket, clinux_endpoint *own);
