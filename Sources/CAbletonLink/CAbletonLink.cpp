#include "CAbletonLink.h"

#include <ableton/Link.hpp>

#include <cmath>
#include <unistd.h>

namespace {
// The library's own choice is CLOCK_MONOTONIC_RAW, which no other program's instants are on.
using Peer = ableton::BasicLink<ableton::platforms::linux::ClockMonotonic>;
using Microseconds = std::chrono::microseconds;
}  // namespace

struct cabletonlink {
  explicit cabletonlink(double tempo) : peer(tempo) {}
  Peer peer;
};

cabletonlink *cabletonlink_create(double tempo) try {
  return new cabletonlink(tempo);
} catch (...) {
  return nullptr;
}

void cabletonlink_destroy(cabletonlink *link) try {
  delete link;
} catch (...) {
}

int32_t cabletonlink_enable(cabletonlink *link, int32_t is_on) try {
  link->peer.enable(is_on != 0);
  return 0;
} catch (...) {
  return -1;
}

int32_t cabletonlink_share_playing(cabletonlink *link, int32_t is_on) try {
  link->peer.enableStartStopSync(is_on != 0);
  return 0;
} catch (...) {
  return -1;
}

void cabletonlink_notify(cabletonlink *link, int32_t eventfd) {
  const auto signal = [eventfd] {
    const uint64_t one = 1;
    // Full means that it is awake already.
    if (write(eventfd, &one, sizeof one) < 0) return;
  };
  link->peer.setNumPeersCallback([signal](std::size_t) { signal(); });
  link->peer.setTempoCallback([signal](double) { signal(); });
  link->peer.setStartStopCallback([signal](bool) { signal(); });
}

int64_t cabletonlink_now(const cabletonlink *link) { return link->peer.clock().micros().count(); }

void cabletonlink_look(cabletonlink *link, int64_t at_microseconds, double quantum,
                       cabletonlink_session *session) {
  const auto state = link->peer.captureAppSessionState();
  const auto at = Microseconds{at_microseconds};
  const double beat = state.beatAtTime(at, quantum);
  const double phase = state.phaseAtTime(at, quantum);
  session->quarter_microseconds = std::llround(60e6 / state.tempo());
  // The beat's own instant is asked for: the phase alone is rounded to millionths of a quarter.
  session->bar_microseconds = state.timeAtBeat(std::round((beat - phase) * 1e6) / 1e6, quantum).count();
  session->phase = phase;
  session->peers = static_cast<int32_t>(link->peer.numPeers());
  session->is_playing = state.isPlaying() ? 1 : 0;
  session->playing_microseconds = state.timeForIsPlaying().count();
}

void cabletonlink_tell(cabletonlink *link, const cabletonlink_change *change) {
  auto state = link->peer.captureAppSessionState();
  const auto at = Microseconds{change->at_microseconds};
  if (change->sets_tempo) state.setTempo(change->tempo, at);
  if (change->forces_phase) state.forceBeatAtTime(change->phase, at, change->quantum);
  if (change->sets_playing) state.setIsPlaying(change->is_playing != 0, at);
  link->peer.commitAppSessionState(state);
}
