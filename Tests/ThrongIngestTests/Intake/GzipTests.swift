import Testing
import ThrongIngest

@Suite("Compressed bodies")
struct GzipTests {
    /// `printf 'hello hello hello' | gzip -n`
    private static let packed: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
        0x90,
        0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00,
    ]

    private static func unpacked(_ bytes: [UInt8], limit: Int) -> Result<[UInt8], IntakeError> {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) { return .success(try Gzip.unpacked(buffer, limit: limit)) } catch {
                return .failure(error)
            }
        }
    }

    @Test("is unpacked up to the limit and not a byte beyond")
    func limit() throws {
        #expect(try Self.unpacked(Self.packed, limit: 17).get() == Array("hello hello hello".utf8))
        #expect(Self.unpacked(Self.packed, limit: 16) == .failure(.bodyTooLarge(limit: 16)))
    }

    @Test("that were packed here are unpacked again, whatever they hold")
    func packed() throws {
        for count in [0, 1, 17, 1000, 70_000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
            let packed = try #require(Gzip.packed(bytes))
            #expect(try Self.unpacked(packed, limit: count).get() == bytes)
            let same = [UInt8](repeating: 7, count: count)
            let small = try #require(Gzip.packed(same))
            #expect(try Self.unpacked(small, limit: count).get() == same)
            #expect(small.count < 150)
        }
    }

    @Test("of several members, one after another, are one body, with the limit of one")
    func members() throws {
        let hello = "hello hello hello"
        #expect(try Self.unpacked(Self.packed + Self.packed, limit: 34).get() == Array((hello + hello).utf8))
        #expect(Self.unpacked(Self.packed + Self.packed, limit: 33) == .failure(.bodyTooLarge(limit: 33)))
        #expect(Self.unpacked(Self.packed + Self.packed.dropLast(), limit: 99) == .failure(.notGzip))
        let empty = try #require(Gzip.packed([]))
        let many = Array(repeatElement(empty, count: 50_000).joined()) + Self.packed
        #expect(try Self.unpacked(many, limit: 1 << 20).get() == Array(hello.utf8))
    }

    @Test("is refused when it is cut, changed or followed by anything")
    func damaged() {
        for count in 0..<Self.packed.count {
            #expect(Self.unpacked(Array(Self.packed.prefix(count)), limit: 100) == .failure(.notGzip))
        }
        var changed = Self.packed
        changed[20] ^= 1
        #expect(Self.unpacked(changed, limit: 100) == .failure(.notGzip))
        #expect(Self.unpacked(Self.packed + [0], limit: 100) == .failure(.notGzip))
    }
}
