/// A part of a binary HTTP message, in the order in which they come.
package enum MessagePart: String, Sendable, Hashable {
    /// The number that says what follows, and how.
    case framing = "framing indicator"
    /// Of a request.
    case method
    /// Of a request.
    case scheme
    /// Of a request; may be empty.
    case authority
    /// Of a request, with its query.
    case path
    /// Of a response.
    case status
    /// The section of header fields, as a whole.
    case fields = "header section"
    /// Of a field, in the header or the trailer section.
    case fieldName = "field name"
    /// Of a field, in the header or the trailer section.
    case fieldValue = "field value"
    /// The body.
    case content
    /// The section of trailer fields, as a whole.
    case trailers = "trailer section"
    /// What follows the message: zeros.
    case padding
}
