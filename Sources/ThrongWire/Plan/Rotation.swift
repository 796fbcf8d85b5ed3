/// The length of a window, in whole seconds: 60 seconds to one day.
public struct Rotation: Hashable, Sendable, Codable, Comparable {
    /// The length. Unit: seconds.
    public let seconds: Int64

    /// 15 minutes: the rotation of a purpose that names none.
    public static let standard = Rotation(seconds: 900)
    /// One hour: the windows of purposes without identifiers, within which a repeated batch is recognized by its name.
    public static let batches = Rotation(seconds: 3600)
    /// One day; no identifier lives longer.
    public static let longest = Rotation(seconds: 86_400)

    /// Wraps a length that the plan's reader has checked.
    public init(seconds: Int64) { self.seconds = seconds }

    /// The window that holds an instant: floor(unix time / rotation).
    public func window(at time: UnixSeconds) -> WindowNumber { WindowNumber(time.flooredQuotient(by: seconds)) }

    /// The instant at which a window begins.
    public func start(of window: WindowNumber) -> UnixSeconds { UnixSeconds(window.asOpened.value * seconds) }

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

/// The number of one rotation of the identifier: floor(unix time / rotation).
public struct WindowNumber: Hashable, Sendable, Comparable, Codable {
    /// The windows since 1970-01-01T00:00:00Z, in units of the purpose's rotation.
    public let value: Int64
    /// Wraps a window's number.
    public init(_ value: Int64) { self.value = value }
    /// The base of the numbers of windows that were taken over while open: above every number that a clock shows.
    private static let takeover: Int64 = 1 << 40

    /// Returns the number of this window for those who count in it in place of a daemon that was lost while it was
    /// open. It names another window at the same time.
    ///
    /// - Parameter epoch: the number of the epoch that gave it to them, from 1.
    public func taken(over epoch: Int64) -> WindowNumber { WindowNumber(asOpened.value + epoch * Self.takeover) }

    /// The number by which clients know the window.
    public var asOpened: WindowNumber { value < Self.takeover ? self : WindowNumber(value & (Self.takeover - 1)) }

    /// The epoch of the takeover that the window is of; 0 for none.
    public var takenOver: Int64 { value < Self.takeover ? 0 : value >> 40 }

    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
