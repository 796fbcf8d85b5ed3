/// How large the parts of a message may be. What is over a limit is refused before anything is kept of it.
package struct MessageLimits: Sendable, Hashable {
    /// Of the content. Unit: bytes.
    package let contentBytes: Int

    /// Of method, scheme, authority and path each. Unit: bytes.
    static let controlBytes = 2 << 10
    /// Of the names and values of one section. Unit: bytes.
    static let sectionBytes = 16 << 10
    /// Of one section. Unit: fields.
    static let fields = 100
    /// Before the final response. Unit: informational responses.
    static let informational = 8

    /// Of all but the content, at most. Unit: bytes.
    package static let headBytes = 64 << 10

    /// - Parameter contentBytes: what a body may have. Unit: bytes.
    package init(contentBytes: Int) { self.contentBytes = contentBytes }
}
