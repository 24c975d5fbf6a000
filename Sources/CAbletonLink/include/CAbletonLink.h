// Ableton Link (libraries of its authors, C++) behind plain functions. No decision is made here.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One peer of a session, on CLOCK_MONOTONIC.
typedef struct cabletonlink cabletonlink;

/// The session as it stands at one instant.
typedef struct cabletonlink_session {
  /// Microseconds a quarter note: whole ones are what the session's line is made of.
  int64_t quarter_microseconds;
  /// CLOCK_MONOTONIC in microseconds of the latest quarter at or before the instant that was asked for
  /// whose number in the session is a whole multiple of the quantum.
  int64_t bar_microseconds;
  /// Quarters since that one at the instant that was asked for.
  double phase;
  int32_t peers;
  int32_t is_playing;
  /// When playing was begun or ended, in microseconds of CLOCK_MONOTONIC.
  int64_t playing_microseconds;
} cabletonlink_session;

/// A peer that is not yet in any session; NULL where the library fails.
cabletonlink *cabletonlink_create(double tempo);
void cabletonlink_destroy(cabletonlink *link);
/// Joins and leaves; 0, or -1 where the library fails.
int32_t cabletonlink_enable(cabletonlink *link, int32_t is_on);
/// Whether start and stop are shared.
int32_t cabletonlink_share_playing(cabletonlink *link, int32_t is_on);
/// Adds one to an eventfd whenever peers, tempo or playing have changed, from the library's thread.
void cabletonlink_notify(cabletonlink *link, int32_t eventfd);

/// CLOCK_MONOTONIC in microseconds.
int64_t cabletonlink_now(const cabletonlink *link);
void cabletonlink_look(cabletonlink *link, int64_t at_microseconds, double quantum,
                       cabletonlink_session *session);

/// What is told to the session in one go; a field is told where its flag is set.
typedef struct cabletonlink_change {
  int32_t sets_tempo;
  int32_t forces_phase;
  int32_t sets_playing;
  int32_t is_playing;
  double tempo;
  /// The instant of the beat, in microseconds of CLOCK_MONOTONIC.
  int64_t at_microseconds;
  /// Quarters since the bar's first one.
  double phase;
  double quantum;
} cabletonlink_change;

void cabletonlink_tell(cabletonlink *link, const cabletonlink_change *change);

#ifdef __cplusplus
}
#endif
