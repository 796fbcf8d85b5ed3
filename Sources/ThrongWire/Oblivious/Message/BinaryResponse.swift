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
