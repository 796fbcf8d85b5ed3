/// The way in which a message says where its sections and its content end.
package enum MessageFraming: Sendable, Hashable, CaseIterable {
    /// Each begins with its length.
    case knownLength
    /// Each goes on until a zero.
    case indeterminateLength
}
