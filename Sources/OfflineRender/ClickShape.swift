public import MetronomeModel

/// How beats and bars are cut into clicks.
///
/// - Thread: any
public struct ClickShape: Equatable, Sendable {
  public var subdivision: Subdivision
  /// Clicks of the layer a bar; 0 is none.
  public var layer: Int

  init(_ state: MetronomeState) {
    subdivision = state.subdivision
    layer = state.layer
  }
}
