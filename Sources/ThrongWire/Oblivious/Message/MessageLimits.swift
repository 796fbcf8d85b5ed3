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

/// The sizes to which messages are padded before they are sealed: 1, 4, 16, 64 and 256 KiB, 1 MiB, and whole MiB from there on.
///
/// A relay knows the address, and sees how long what it forwards is. Steps of four leave it six sizes for all that a daemon
/// takes by default: a reveal, a withdrawal and a batch of a few events are all of the first, a batch of a hundred of the third.
package enum SizeClass {
    /// The smallest class. Unit: bytes.
    static let least = 1 << 10
    /// The largest of the steps of four; further ones are its multiples. Unit: bytes.
    static let most = 1 << 20

    /// The smallest class that holds so many bytes.
    package static func bytes(holding count: Int) -> Int {
        var size = least
        while size < count, size < most { size *= 4 }
        return size >= count ? size : (count + most - 1) / most * most
    }
}
