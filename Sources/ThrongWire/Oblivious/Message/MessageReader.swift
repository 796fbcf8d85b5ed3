/// Takes the parts of a binary HTTP message off its bytes, one after the other.
///
/// Source: RFC 9292, sections 3.1 to 3.8.
struct MessageReader {
    private let bytes: ArraySlice<UInt8>
    private let origin: Int
    private let limits: MessageLimits
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>, limits: MessageLimits) {
        self.bytes = bytes
        self.limits = limits
        origin = bytes.startIndex
        place = bytes.startIndex
    }

    /// Reads a part of the bytes, whose places are those in the whole.
    private init(_ part: ArraySlice<UInt8>, of whole: MessageReader) {
        bytes = part
        origin = whole.origin
        limits = whole.limits
        place = part.startIndex
    }

    private var isAtEnd: Bool { place == bytes.endIndex }
    private var offset: Int { place - origin }

    /// The framing of a message: of known length if it begins with `first`, else two more.
    mutating func framing(first: Int) throws(ObliviousError) -> MessageFraming {
        switch try number(.framing) {
        case first: .knownLength
        case first + 2: .indeterminateLength
        case let found: throw .framing(found: found)
        }
    }

    /// The parts behind the control data, up to the end.
    mutating func rest(
        _ framing: MessageFraming
    ) throws(ObliviousError) -> (fields: [MessageField], content: [UInt8], trailers: [MessageField]) {
        let parts = (try fields(.fields, framing), Array(try content(framing)), try fields(.trailers, framing))
        try padding()
        return parts
    }

    /// A QUIC variable-length integer: below 2⁶², in 1, 2, 4 or 8 bytes, and not necessarily in as few as would do.
    mutating func number(_ part: MessagePart) throws(ObliviousError) -> Int {
        guard !isAtEnd else { throw .truncated(part, at: offset) }
        let first = bytes[place]
        let count = 1 << Int(first >> 6)
        let rest = try take(count, part)
        return rest.dropFirst().reduce(Int(first & 0x3f)) { $0 << 8 | Int($1) }
    }

    /// Takes so many bytes.
    private mutating func take(_ count: Int, _ part: MessagePart) throws(ObliviousError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - place else { throw .truncated(part, at: bytes.endIndex - origin) }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// A length, and so many bytes.
    private mutating func prefixed(_ part: MessagePart, upTo limit: Int) throws(ObliviousError) -> ArraySlice<UInt8> {
        let count = try number(part)
        guard count <= limit else { throw .tooLarge(part, found: count, limit: limit) }
        return try take(count, part)
    }

    /// A part of the control data whose bytes fulfil a condition.
    mutating func control(_ part: MessagePart, _ isFit: (ArraySlice<UInt8>) -> Bool) throws(ObliviousError) -> String {
        let start = offset
        let text = try prefixed(part, upTo: MessageLimits.controlBytes)
        guard isFit(text) else { throw .malformed(part, at: start) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The status of a response: of an informational one, or of the final one.
    mutating func status() throws(ObliviousError) -> Int {
        let start = offset
        let status = try number(.status)
        guard (100...599).contains(status) else { throw .malformed(.status, at: start) }
        return status
    }

    // MARK: Sections

    /// A section of fields.
    ///
    /// - Parameter mayBeMissing: whether a message may end before it, which then stands for an empty one.
    mutating func fields(
        _ part: MessagePart, _ framing: MessageFraming, mayBeMissing: Bool = true
    ) throws(ObliviousError) -> [MessageField] {
        if isAtEnd, mayBeMissing { return [] }
        var fields: [MessageField] = []
        switch framing {
        case .knownLength:
            let section = try prefixed(part, upTo: MessageLimits.sectionBytes)
            var reader = MessageReader(section, of: self)
            while !reader.isAtEnd {
                let start = reader.offset
                guard let field = try reader.field() else { throw .malformed(.fieldName, at: start) }
                try Self.add(field, to: &fields, part)
            }
        case .indeterminateLength:
            var size = 0
            while let field = try field() {
                size += field.name.utf8.count + field.value.utf8.count
                guard size <= MessageLimits.sectionBytes else {
                    throw .tooLarge(part, found: size, limit: MessageLimits.sectionBytes)
                }
                try Self.add(field, to: &fields, part)
            }
        }
        return fields
    }

    private static func add(
        _ field: MessageField, to fields: inout [MessageField], _ part: MessagePart
    ) throws(ObliviousError) {
        fields.append(field)
        guard fields.count <= MessageLimits.fields else {
            throw .tooLarge(part, found: fields.count, limit: MessageLimits.fields)
        }
    }

    /// A field; nil for a name without length, which ends a section of indeterminate length.
    private mutating func field() throws(ObliviousError) -> MessageField? {
        let start = offset
        let name = try prefixed(.fieldName, upTo: MessageLimits.sectionBytes)
        guard !name.isEmpty else { return nil }
        guard MessageField.isName(name) else { throw .malformed(.fieldName, at: start) }
        let middle = offset
        let value = try prefixed(.fieldValue, upTo: MessageLimits.sectionBytes)
        guard MessageField.isValue(value), let text = String(validating: value, as: UTF8.self) else {
            throw .malformed(.fieldValue, at: middle)
        }
        return MessageField(String(decoding: name, as: UTF8.self), text)
    }

    /// The content; empty if the message ends before it.
    private mutating func content(_ framing: MessageFraming) throws(ObliviousError) -> ArraySlice<UInt8> {
        guard !isAtEnd else { return [] }
        guard framing == .indeterminateLength else { return try prefixed(.content, upTo: limits.contentBytes) }
        var content: ArraySlice<UInt8> = []
        while true {
            let count = try number(.content)
            guard count > 0 else { return content }
            let (total, isOver) = content.count.addingReportingOverflow(count)
            guard !isOver, total <= limits.contentBytes else {
                throw .tooLarge(.content, found: isOver ? .max : total, limit: limits.contentBytes)
            }
            content += try take(count, .content)
        }
    }

    /// Checks that only zeros are left.
    private func padding() throws(ObliviousError) {
        let rest = bytes[place...]
        guard let stray = rest.firstIndex(where: { $0 != 0 }) else { return }
        throw .malformed(.padding, at: stray - origin)
    }
}
