// Key devices (evdev) and one descriptor for several.
#pragma once
#include <stdint.h>

/// Opens an input device for reading without blocking, stamped by CLOCK_MONOTONIC. A descriptor
/// or a negative errno.
int32_t clinux_key_open(const char *path);
/// Whether the device has a key of this code.
int32_t clinux_key_has(int32_t descriptor, int32_t code);
void clinux_key_name(int32_t descriptor, char *name, int32_t size);
/// The next event: 1, 0 for the end, or a negative errno (EAGAIN: none waits; ENODEV: it is gone).
int32_t clinux_key_read(int32_t descriptor, int32_t *type, int32_t *code, int32_t *value,
                        int64_t *nanoseconds);

/// A descriptor that is readable while any of those added to it is; -1 and errno on failure.
int32_t clinux_epoll(void);
/// Its events are no longer waited for.
void clinux_epoll_remove(int32_t epoll, int32_t descriptor);
/// A descriptor that is closed leaves by itself. 0 or an errno.
int32_t clinux_epoll_add(int32_t epoll, int32_t descriptor);
