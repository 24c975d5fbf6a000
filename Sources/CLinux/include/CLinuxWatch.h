// Hearing of device files that come and go.
#pragma once
#include <stdint.h>

/// An inotify descriptor that does not block; -1 where there is none.
int32_t clinux_watch_open(void);
/// Watches a folder for entries that come, go or change their permissions. 0 or an errno.
int32_t clinux_watch_folder(int32_t descriptor, const char *path);
/// Reads all notices away; returns whether there was one.
int32_t clinux_watch_drain(int32_t descriptor);
/// Waits for either descriptor (-1: none) to be readable. Milliseconds, -1 for ever.
void clinux_wait_readable(int32_t first, int32_t second, int32_t milliseconds);
