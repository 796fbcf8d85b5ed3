/// The Castagnoli CRC, eight bytes at a time.
///
/// Source: RFC 3720, appendix B.4 (polynomial, check values); Kounavis and Berry 2005 (slicing by 8).
package enum CRC32C {
    /// Eight tables of 256 entries: table s has the effect of a byte that lies s places further on.
    private static let table: [UInt32] = {
        var table: [UInt32] = []
        for byte in 0..<UInt32(256) {
            var crc = byte
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            table.append(crc)
        }
        for place in 256..<2048 {
            let earlier = table[place - 256]
            table.append((earlier >> 8) ^ table[Int(earlier & 0xFF)])
        }
        return table
    }()

    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { checksum(bytes, by: $0) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, by table: UnsafeBufferPointer<UInt32>) -> UInt32 {
        var crc: UInt32 = ~0
        var offset = 0
        while offset + 8 <= bytes.count {
            let low = crc ^ UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let first = table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
            let second = table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
            let third = table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
            let fourth = table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
            crc = first ^ second ^ third ^ fourth
            offset += 8
        }
        while offset < bytes.count {
            crc = (crc >> 8) ^ table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
            offset += 1
        }
        return ~crc
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { checksum($0) } }

    /// Returns the place of the one byte whose change explains a difference of checksums; nil if no single byte does.
    ///
    /// The difference is stepped back byte by byte to the changed one, before which there was no difference.
    package static func changedByte(of count: Int, difference: UInt32) -> Int? {
        var rest = difference
        for place in (0..<count).reversed() {
            guard let index = (0..<256).first(where: { table[$0] >> 24 == rest >> 24 }) else { return nil }
            let shifted = rest ^ table[index]
            if shifted == 0, index != 0 { return place }
            rest = shifted << 8 | UInt32(index)
        }
        return nil
    }
}
