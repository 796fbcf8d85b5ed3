/// A part of a binary HTTP message, in the order in which they come.
package enum MessagePart: String, Sendable, Hashable {
    /// The number that says what follows, and how.
    case framing = "framing indicator"
    case method
    case scheme
    /// The authority of a request; may be empty.
    case authority
    case path
    case status
    case fields = "header section"
    /// The name of a field, in the header or the trailer section.
    case fieldName = "field name"
    /// The value of a field, in the header or the trailer section.
    case fieldValue = "field value"
    case content
    case trailers = "trailer section"
    /// The padding that follows the message: zeros.
    case padding
}
