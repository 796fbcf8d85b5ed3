/// The reason why bytes are no message, no key configuration, or can't be opened. No case holds any of the bytes.
package enum ObliviousError: Error, Sendable, Hashable, CustomStringConvertible {
    case truncated(MessagePart, at: Int)
    case framing(found: Int)
    case tooLarge(MessagePart, found: Int, limit: Int)
    case malformed(MessagePart, at: Int)
    case configuration(at: Int)
    case noUsableKey
    case tooShort(found: Int, least: Int)
    case unknownKey(id: Int)
    case unknownSuite(mechanism: Int, derivation: Int, sealing: Int)
    case unopened

    /// The message: what was found, what is allowed and what to do.
    package var description: String {
        switch self {
        case .truncated(let part, let place):
            "the message ends at byte \(place), within its \(part.rawValue). Send all of it."
        case .framing(let found):
            "the message begins with the framing \(found); allowed are 0 and 2 for a request, 1 and 3 for a response."
        case .tooLarge(let part, let found, let limit):
            "the message's \(part.rawValue) is \(found) large; allowed are \(limit). Send less at once."
        case .malformed(let part, let place):
            "the message's \(part.rawValue) at byte \(place) is not as RFC 9292 and RFC 9110 ask for. Mend the sender."
        case .configuration(let place):
            "the key configuration is not as RFC 9458, section 3, asks for, from byte \(place) on. "
                + "Fetch it again from /v1/ohttp-keys."
        case .noUsableKey:
            "no key configuration is for DHKEM(X25519) or DHKEM(P-256) with HKDF-SHA256, "
                + "and AES-128-GCM or ChaCha20Poly1305. Fetch it again from /v1/ohttp-keys."
        case .tooShort(let found, let least):
            "an encapsulated message has \(least) bytes at least, not \(found). Send all of it."
        case .unknownKey(let id):
            "no key has the number \(id), or none any more. Fetch the key configuration again, and seal anew."
        case .unknownSuite(let mechanism, let derivation, let sealing):
            "the key is not used with KEM \(mechanism), KDF \(derivation) and AEAD \(sealing). "
                + "Take what its configuration offers."
        case .unopened:
            "it can't be opened: it was changed on its way, or sealed for another key. Fetch the key configuration again."
        }
    }
}

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
