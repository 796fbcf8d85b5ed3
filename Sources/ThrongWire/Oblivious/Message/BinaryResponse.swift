/// An HTTP response as binary HTTP, RFC 9292.
package struct BinaryResponse: Sendable, Hashable {
    /// An informational response, which comes before the final one.
    package struct Informational: Sendable, Hashable {
        package let status: Int
        package let fields: [MessageField]

        /// - Parameter status: from 100 to 199.
        package init(_ status: Int, fields: [MessageField] = []) {
            self.status = status
            self.fields = fields
        }
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
        self.informational = informational
        self.status = status
        self.fields = fields
        self.content = content
        self.trailers = trailers
    }

    /// Reads a response, of either framing, with its padding or cut off behind its last part that is not empty.
    ///
    /// - Complexity: O(bytes).
    package init(_ bytes: ArraySlice<UInt8>, limits: MessageLimits) throws(ObliviousError) {
        var reader = MessageReader(bytes, limits: limits)
        let framing: MessageFraming
        switch try reader.number(.framing) {
        case 1: framing = .knownLength
        case 3: framing = .indeterminateLength
        case let found: throw .framing(found: found)
        }
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
        self.informational = informational
        self.status = status
        fields = try reader.fields(.fields, framing)
        content = Array(try reader.content(framing))
        trailers = try reader.fields(.trailers, framing)
        try reader.padding()
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
        writer.add(fields, framing)
        writer.add(content: content, framing)
        writer.add(trailers, framing)
        if isPadded { writer.pad(to: SizeClass.bytes(holding: writer.bytes.count)) }
        return writer.bytes
    }
}
