# Tactus in a container.
#
#   docker build -t tactus .
#   docker run --rm -it --network host --device /dev/snd \
#     --group-add "$(getent group audio | cut -d: -f3)" \
#     --ulimit rtprio=95 --ulimit memlock=-1 tactus 4/4 120 --device hw:CARD=NAME
#
# --device /dev/snd      the cards and the sequencer; --group-add: the host's audio group may read them
# --ulimit rtprio        real-time threads without any capability
# --ulimit memlock       memory that is never paged out
# --network host         OSC on port 9700 and its replies to tablets; or: -p 9700:9700/udp -p 9700:9700/tcp
# -v tactus:/var/lib/tactus   keeps presets, maps and sounds over restarts
# No --privileged and no --cap-add is needed.

ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
WORKDIR /source
COPY .ci/setup .ci/setup
RUN sh .ci/setup && rm -rf /var/lib/apt/lists/*
COPY . .
# The standard library is linked in: the runtime image needs no Swift.
RUN swift build -c release --static-swift-stdlib \
  && cd "$(swift build -c release --show-bin-path)" \
  && install -D -s -t /installed tactusd tactus tactus-web tactus-link

FROM ${RUNTIME_IMAGE}
# libstdc++6: the static standard library's own C++ parts, and tactus-link. libwebsockets, libavahi: tactus-web.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    libasound2 liblo7 libsndfile1 libsamplerate0 libfftw3-single3 libqrencode4 libstdc++6 libwebsockets17 libavahi-client3 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --groups audio --home-dir /var/lib/tactus --create-home tactus
COPY --from=build /installed/ /usr/local/bin/
COPY Presets/ /usr/local/share/tactus/presets/
USER tactus
WORKDIR /var/lib/tactus
ENV XDG_CONFIG_HOME=/var/lib/tactus
VOLUME /var/lib/tactus
EXPOSE 9700/udp 9700/tcp
# SIGTERM is the default stop signal: tactusd sends MIDI Stop and ends.
ENTRYPOINT ["tactusd"]
