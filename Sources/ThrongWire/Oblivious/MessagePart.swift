/// A part of a binary HTTP message, in the order in which they come.
package enum MessagePart: String, Sendable, Hashable {
    /// The number that says what follows, and how.
    case framing = "framing indicator"
    /// The method of a request.
    case method
    /// The scheme of a request.
    case scheme
    /// The authority of a request; may be empty.
    case authority
    /// The path of a request, with its query.
    case path
    /// The status of a response.
    case status
    /// The section of header fields, as a whole.
    case fields = "header section"
    /// The name of a field, in the header or the trailer section.
    case fieldName = "field name"
    /// The value of a field, in the header or the trailer section.
    case fieldValue = "field value"
    /// The body.
    case content
    /// The section of trailer fields, as a whole.
    case trailers = "trailer section"
    /// The padding that follows the message: zeros.
    case padding
}
