// What a companion drives: force feedback and LEDs of input devices, and programs. No logic here.
#pragma once
#include <stdint.h>

/// Opens an input device for force feedback: the descriptor, or -errno (-ENOTSUP: it cannot rumble).
int32_t clinux_rumble_open(const char *path);
/// Uploads an effect: its number, or -errno (-ENOSPC: the device holds no more).
int32_t clinux_rumble_upload(int32_t descriptor, uint16_t strong, uint16_t weak,
                             uint16_t milliseconds);
/// Plays the effect, or stops it; 0, or -errno (-ENODEV: the device is gone).
int32_t clinux_rumble_play(int32_t descriptor, int32_t effect, int32_t on);
void clinux_rumble_erase(int32_t descriptor, int32_t effect);

/// Opens a file for writing; the descriptor or -errno.
int32_t clinux_open_for_writing(const char *path);
/// Writes at the beginning of a file; 0 or -errno.
int32_t clinux_write_at_start(int32_t descriptor, const char *text, int32_t length);

/// Starts a program without a shell and without real-time priority. `environment` NULL: this
/// program's own. Its process id, or -errno.
int32_t clinux_spawn(const char *const *arguments, const char *const *environment);

/// The same with this program's environment, and a socket that keeps message boundaries between the two:
/// the program has it in place of its input, we have its other end. Its process id, or -errno.
int32_t clinux_spawn_connected(const char *const *arguments, int32_t *channel);

/// A descriptor that is readable once a child has ended; -errno on failure.
int32_t clinux_pidfd(int32_t process);
/// Waits for a child's end: its exit status, 128 + N after signal N, or -errno.
int32_t clinux_reap(int32_t process);

/// The same with this program's environment, through a process between that ends at once: the system
/// adopts the program, and none of our children is left to be waited for. 0, or -errno.
int32_t clinux_spawn_adopted(const char *const *arguments);
/// The same, with a descriptor that is readable once the program has ended; -1 where it has already.
int32_t clinux_spawn_watched(const char *const *arguments, int32_t *ended);

/// The same again, for a program whose output is wanted: the descriptor from which it is read without
/// waiting (it ends where the program does), or -errno.
int32_t clinux_spawn_read(const char *const *arguments);
