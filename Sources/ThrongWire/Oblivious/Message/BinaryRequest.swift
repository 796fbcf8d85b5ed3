/// An HTTP request as binary HTTP, RFC 9292.
package struct BinaryRequest: Sendable, Hashable {
    /// The method, such as `POST`.
    package let method: String
    /// The scheme, such as `https`.
    package let scheme: String
    /// The host with its port; may be empty.
    package let authority: String
    /// The path with its query.
    package let path: String
    package let fields: [MessageField]
    package let content: [UInt8]
    package let trailers: [MessageField]

    /// Makes a request; each part has to be as RFC 9110 says.
    package init(
        _ method: String, _ path: String, scheme: String = "https", authority: String = "",
        fields: [MessageField] = [], content: [UInt8] = [], trailers: [MessageField] = []
    ) {
        (self.method, self.scheme, self.authority, self.path, self.fields) = (method, scheme, authority, path, fields)
        (self.content, self.trailers) = (content, trailers)
    }

    /// Reads a request, of either framing, with its padding or cut off behind its last part that is not empty.
    ///
    /// - Complexity: O(bytes).
    package init(_ bytes: ArraySlice<UInt8>, limits: MessageLimits) throws(ObliviousError) {
        var reader = MessageReader(bytes, limits: limits)
        let framing = try reader.framing(first: 0)
        method = try reader.control(.method) { !$0.isEmpty && $0.allSatisfy(MessageField.isTokenByte) }
        scheme = try reader.control(.scheme, Self.isScheme)
        authority = try reader.control(.authority) { $0.allSatisfy(Self.isVisible) }
        path = try reader.control(.path) { text in
            (text.first == UInt8(ascii: "/") || text.elementsEqual("*".utf8)) && text.allSatisfy(Self.isVisible)
        }
        (fields, content, trailers) = try reader.rest(framing)
    }

    /// The request's bytes.
    ///
    /// - Parameter isPadded: whether zeros follow up to the next ``SizeClass``.
    package func encoded(_ framing: MessageFraming = .knownLength, isPadded: Bool = false) -> [UInt8] {
        var writer = MessageWriter()
        writer.add(framing == .knownLength ? 0 : 2)
        for part in [method, scheme, authority, path] { writer.add(prefixed: part.utf8) }
        return writer.ended(fields, content, trailers, framing, isPadded: isPadded)
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) }

    /// Says whether bytes are a scheme: RFC 3986, section 3.1.
    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        text.first?.isASCIILetter == true
            && text.allSatisfy { $0.isASCIILetter || $0.isDigit || "+-.".utf8.contains($0) }
    }
}

/// An HTTP response as binary HTTP, RFC 9292.
package struct BinaryResponse: Sendable, Hashable {
    /// An informational response, which comes before the final one.
    package struct Informational: Sendable, Hashable {
        package let status: Int
        package let fields: [MessageField]

        /// - Parameter status: from 100 to 199.
        package init(_ status: Int, fields: [MessageField] = []) { (self.status, self.fields) = (status, fields) }
    }

    package let informational: [Informational]
    package let status: Int
    package let fields: [MessageField]
    package let content: [UInt8]
    package let trailers: [MessageField]

    /// Makes a response; each part has to be as RFC 9110 says.
    package init(
        _ status: Int, fields: [MessageField] = [], content: [UInt8] = [], trailers: [MessageField] = [],
        after informational: [Informational] = []
    ) {
        (self.informational, self.status, self.fields) = (informational, status, fields)
        (self.content, self.trailers) = (content, trailers)
    }

    /// Reads a response, of either framing, with its padding or cut off behind its last part that is not empty.
    ///
    /// - Complexity: O(bytes).
    package init(_ bytes: ArraySlice<UInt8>, limits: MessageLimits) throws(ObliviousError) {
        var reader = MessageReader(bytes, limits: limits)
        let framing = try reader.framing(first: 1)
        var informational: [Informational] = []
        var status = try reader.status()
        while status < 200 {
            informational.append(
                Informational(status, fields: try reader.fields(.fields, framing, mayBeMissing: false)))
            guard informational.count <= MessageLimits.informational else {
                throw .tooLarge(.status, found: informational.count, limit: MessageLimits.informational)
            }
            status = try reader.status()
        }
        (self.informational, self.status) = (informational, status)
        (fields, content, trailers) = try reader.rest(framing)
    }

    /// The response's bytes.
    ///
    /// - Parameter isPadded: whether zeros follow up to the next ``SizeClass``.
    package func encoded(_ framing: MessageFraming = .knownLength, isPadded: Bool = false) -> [UInt8] {
        var writer = MessageWriter()
        writer.add(framing == .knownLength ? 1 : 3)
        for each in informational {
            writer.add(each.status)
            writer.add(each.fields, framing)
        }
        writer.add(status)
        return writer.ended(fields, content, trailers, framing, isPadded: isPadded)
    }
}
