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

/// Writes the parts of a binary HTTP message, one after the other.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// A QUIC variable-length integer, in as few bytes as will do.
    mutating func add(_ number: Int) {
        switch number {
        case ..<(1 << 6): bytes.append(UInt8(number))
        case ..<(1 << 14): add(UInt64(number) | 1 << 14, count: 2)
        case ..<(1 << 30): add(UInt64(number) | 2 << 30, count: 4)
        default: add(UInt64(number) | 3 << 62, count: 8)
        }
    }

    private mutating func add(_ number: UInt64, count: Int) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// A length, and so many bytes.
    mutating func add(prefixed part: some Collection<UInt8>) {
        add(part.count)
        bytes += part
    }

    mutating func add(_ fields: [MessageField], _ framing: MessageFraming) {
        var section = MessageWriter()
        for field in fields {
            section.add(prefixed: field.name.utf8)
            section.add(prefixed: field.value.utf8)
        }
        switch framing {
        case .knownLength: add(prefixed: section.bytes)
        case .indeterminateLength:
            bytes += section.bytes
            add(0)
        }
    }

    /// Adds the parts behind the control data; returns the whole message, padded if so to its ``SizeClass``.
    consuming func ended(
        _ fields: [MessageField], _ content: [UInt8], _ trailers: [MessageField], _ framing: MessageFraming,
        isPadded: Bool
    ) -> [UInt8] {
        add(fields, framing)
        add(content: content, framing)
        add(trailers, framing)
        let size = isPadded ? SizeClass.bytes(holding: bytes.count) : 0
        return bytes + repeatElement(0, count: max(0, size - bytes.count))
    }

    private mutating func add(content: [UInt8], _ framing: MessageFraming) {
        if framing == .knownLength || !content.isEmpty { add(prefixed: content) }
        if framing == .indeterminateLength { add(0) }
    }
}

/// A field of a header or trailer section: a name in lower case, and its value.
package struct MessageField: Sendable, Hashable {
    /// The name, in lower case.
    package let name: String
    /// The value, without spaces around it.
    package let value: String

    /// - Parameters:
    ///   - name: a token in lower case.
    ///   - value: without spaces around it, and without control characters but tabs.
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Says whether bytes are a field's name: a token of RFC 9110, section 5.6.2, without upper case, and so no pseudo-field.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isTokenByte($0) && !(0x41...0x5a).contains($0) }
    }

    /// Says whether bytes are a field's value, RFC 9110, section 5.5: also no space before or after it.
    static func isValue(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.first, let last = bytes.last else { return true }
        return !isSpace(first) && !isSpace(last) && bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool { byte.isDigit || byte.isASCIILetter || signs.contains(byte) }

    private static let signs = Array("!#$%&'*+-.^_`|~".utf8)
}

/// The limits of a message's parts. A part over its limit is refused before anything is kept of it.
package struct MessageLimits: Sendable, Hashable {
    /// The limit of the content. Unit: bytes.
    package let contentBytes: Int

    /// The limit of method, scheme, authority and path each. Unit: bytes.
    static let controlBytes = 2 << 10
    /// The limit of the names and values of one section. Unit: bytes.
    static let sectionBytes = 16 << 10
    /// The limit of one section. Unit: fields.
    static let fields = 100
    /// The limit of what comes before the final response. Unit: informational responses.
    static let informational = 8

    /// The limit of all but the content. Unit: bytes.
    package static let headBytes = 64 << 10

    /// - Parameter contentBytes: what a body may have. Unit: bytes.
    package init(contentBytes: Int) { self.contentBytes = contentBytes }
}

/// The way in which a message says where its sections and its content end.
package enum MessageFraming: Sendable, Hashable, CaseIterable {
    /// Each begins with its length.
    case knownLength
    /// Each goes on until a zero.
    case indeterminateLength
}

/// The sizes to which messages are padded before they are sealed: 1, 4, 16, 64 and 256 KiB, 1 MiB, and whole MiB from there on.
///
/// A relay knows the address, and sees how long what it forwards is. Steps of four leave it six sizes for all that a daemon
/// takes by default: a reveal, a withdrawal and a batch of a few events are all of the first, a batch of a hundred of the third.
package enum SizeClass {
    /// The smallest class. Unit: bytes.
    static let least = 1 << 10
    /// The largest of the steps of four; further ones are its multiples. Unit: bytes.
    static let most = 1 << 20

    /// The smallest class that holds so many bytes.
    package static func bytes(holding count: Int) -> Int {
        var size = least
        while size < count, size < most { size *= 4 }
        return size >= count ? size : (count + most - 1) / most * most
    }
}
