/// Which rotation of the identifier: floor(unix time / rotation).
public struct WindowNumber: Hashable, Sendable, Comparable, Codable {
    /// Counted from 1970-01-01T00:00:00Z in units of the purpose's rotation.
    public let value: Int64
    /// Wraps a window's number.
    public init(_ value: Int64) { self.value = value }
    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
