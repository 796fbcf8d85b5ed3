/// Which release: one metric of one app in one period, however often it is tried.
package struct NoiseReleaseID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Such as `shop/orders/day/1790000000`; the same whenever it is made, so that a second try meets the first.
    package let text: String

    /// Wraps a name.
    package init(_ text: String) { self.text = text }
    /// The name.
    package var description: String { text }
    /// Orders by the names' UTF-8 bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
