extension Decoder {
    /// Reads a value from its text.
    ///
    /// - Throws: `DecodingError` with `flaw` if the text is none.
    func value<Value>(_ flaw: String, _ read: ([UInt8]) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = read(Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: flaw)
        }
        return value
    }
}
