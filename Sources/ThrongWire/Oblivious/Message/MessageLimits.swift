/// The limits of a message's parts. A part over its limit is refused before anything is kept of it.
package struct MessageLimits: Sendable, Hashable {
    /// The limit of the content. Unit: bytes.
    package let contentBytes: Int

    /// The limit of method, scheme, authority and path each. Unit: bytes.
    static let controlBytes = 2 << 10
    /// The limit of the names and values of one section. Unit: bytes.
    static let sectionBytes = 16 << 10
    /// The limit of one section. Unit: fields.
    static let fields = 100
    /// The limit of what comes before the final response. Unit: informational responses.
    static let informational = 8

    /// The limit of all but the content. Unit: bytes.
    package static let headBytes = 64 << 10

    /// - Parameter contentBytes: what a body may have. Unit: bytes.
    package init(contentBytes: Int) { self.contentBytes = contentBytes }
}

/// The way in which a message says where its sections and its content end.
package enum MessageFraming: Sendable, Hashable, CaseIterable {
    /// Each begins with its length.
    case knownLength
    /// Each goes on until a zero.
    case indeterminateLength
}
