internal import CALSA

/// One playback control of a card's mixer, as far as it decides whether anything can be heard.
public struct MixerElement: Sendable, Equatable {
  public var name: String
  /// nil where there is no switch.
  public var isOn: Bool?
  /// nil where there is no volume.
  public var isAtMinimum: Bool?

  public init(name: String, isOn: Bool?, isAtMinimum: Bool?) {
    self.name = name
    self.isOn = isOn
    self.isAtMinimum = isAtMinimum
  }
}

/// A control that keeps a card silent, with the command that mends it.
public struct MixerWarning: Sendable, Equatable, CustomStringConvertible {
  public var card: String
  public var element: String
  public var isMuted: Bool

  public var description: String {
    let state = isMuted ? "is muted" : "is at its minimum"
    let values = isMuted ? "unmute" : "80%"
    return "the mixer control '\(element)' of card \(card) \(state): "
      + "amixer -c \(card) sset '\(element)' \(values)"
  }
}

/// Looks whether a card's mixer lets anything through.
///
/// - Thread: device
public enum MixerCheck {
  /// Controls that the whole sound of a card goes through.
  private static let decisive = ["Master", "PCM"]

  /// What keeps the card of a request silent; empty where all is well or there is no mixer.
  public static func warnings(for request: PCMRequest) -> [MixerWarning] {
    let cards = SoundCard.present()
    let wanted = SoundCard.named(in: request.alsaName(cards: cards))
    // `default` plays on the first card that can, unless a configuration says otherwise.
    let card = cards.first { wanted == nil ? $0.plays : $0.id == wanted || "\($0.index)" == wanted }
    guard let card else { return [] }
    return judge(elements(of: card), card: card.id)
  }

  /// Master and PCM decide; where there is but one control, it does.
  static func judge(_ elements: [MixerElement], card: String) -> [MixerWarning] {
    elements.compactMap { element in
      guard decisive.contains(element.name) || elements.count == 1 else { return nil }
      if element.isOn == false {
        return MixerWarning(card: card, element: element.name, isMuted: true)
      }
      if element.isAtMinimum == true {
        return MixerWarning(card: card, element: element.name, isMuted: false)
      }
      return nil
    }
  }

  private static func elements(of card: SoundCard) -> [MixerElement] {
    ALSALibrary.captureErrors()
    var handle: OpaquePointer?
    guard unsafe snd_mixer_open(&handle, 0) >= 0, let mixer = unsafe handle else { return [] }
    defer { unsafe snd_mixer_close(mixer) }
    guard unsafe snd_mixer_attach(mixer, "hw:\(card.index)") >= 0,
      unsafe snd_mixer_selem_register(mixer, nil, nil) >= 0,
      unsafe snd_mixer_load(mixer) >= 0
    else { return [] }

    var found: [MixerElement] = []
    var cursor = unsafe snd_mixer_first_elem(mixer)
    while let element = unsafe cursor {
      unsafe cursor = snd_mixer_elem_next(element)
      let hasSwitch = unsafe snd_mixer_selem_has_playback_switch(element) != 0
      let hasVolume = unsafe snd_mixer_selem_has_playback_volume(element) != 0
      guard hasSwitch || hasVolume, let name = unsafe snd_mixer_selem_get_name(element) else {
        continue
      }
      found.append(
        MixerElement(
          name: unsafe String(cString: name), isOn: hasSwitch ? unsafe isOn(element) : nil,
          isAtMinimum: hasVolume ? unsafe isAtMinimum(element) : nil))
    }
    return found
  }

  /// One channel that is on is enough to be heard.
  private static func isOn(_ element: OpaquePointer) -> Bool {
    unsafe channels(of: element).contains { channel in
      var value: Int32 = 0
      return unsafe snd_mixer_selem_get_playback_switch(element, channel, &value) >= 0 && value != 0
    }
  }

  private static func isAtMinimum(_ element: OpaquePointer) -> Bool {
    var lowest = 0
    var highest = 0
    guard unsafe snd_mixer_selem_get_playback_volume_range(element, &lowest, &highest) >= 0,
      lowest < highest
    else { return false }
    return unsafe channels(of: element).allSatisfy { channel in
      var value = 0
      return unsafe snd_mixer_selem_get_playback_volume(element, channel, &value) >= 0
        && value <= lowest
    }
  }

  private static func channels(of element: OpaquePointer) -> [snd_mixer_selem_channel_id_t] {
    (SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue)
      .map { snd_mixer_selem_channel_id_t(rawValue: $0) }
      .filter { unsafe snd_mixer_selem_has_playback_channel(element, $0) != 0 }
  }
}
