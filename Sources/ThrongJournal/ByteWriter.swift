/// Appends little-endian numbers to a byte array.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends numbers, one behind the other.
    mutating func add<each Number: FixedWidthInteger>(numbers number: repeat each Number) { repeat add(each number) }

    /// Returns numbers, one behind the other.
    static func bytes<each Number: FixedWidthInteger>(of number: repeat each Number) -> [UInt8] {
        var writer = ByteWriter()
        repeat writer.add(each number)
        return writer.bytes
    }

    /// Appends two to six numbers, each at its offset. One check for room costs a fifth of five.
    @inline(__always) mutating func add(size: Int, _ store: (UnsafeMutableRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) {
            store($0)
            bytes.append(contentsOf: $0)
        }
    }

    /// Overwrites a number in the bytes written so far.
    mutating func replace(at offset: Int, with number: some FixedWidthInteger) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
        }
    }

    /// Appends a text after its length: u16, then UTF-8.
    mutating func add(_ text: String) {
        add(UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads the output of ``ByteWriter``; every read is checked against the end.
struct RecordReader {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }
    /// Unit: bytes.
    var remaining: Int { bytes.count - offset }

    mutating func next<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(JournalError) -> Number {
        let size = MemoryLayout<Number>.size
        guard bytes.count - offset >= size else { throw .malformedRecord }
        defer { offset += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    mutating func nextBytes(_ count: Int) throws(JournalError) -> UnsafeRawBufferPointer {
        guard count >= 0, bytes.count - offset >= count else { throw .malformedRecord }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func nextText() throws(JournalError) -> String {
        let count = try next(UInt16.self)
        return String(decoding: try nextBytes(Int(count)), as: UTF8.self)
    }
}

extension [UInt8] {
    /// Lends the bytes to a reader whose errors keep their type.
    func reading<Value>(_ body: (UnsafeRawBufferPointer) throws(JournalError) -> Value) throws(JournalError) -> Value {
        let result: Result<Value, JournalError> = withUnsafeBytes { bytes in
            do throws(JournalError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a number, its lowest byte first.
    @inline(__always) func put(_ number: some FixedWidthInteger, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
    }
}
