import ThrongIngest

/// Unpacks, with a limit; and packs what came, which must unpack to the same.
struct GzipTarget: FuzzTarget {
    /// Unit: bytes.
    private static let limit = 64 << 10

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let unpacked = Self.unpacked(bytes) {
            try FuzzFinding.check(
                unpacked.count <= Self.limit,
                .tooMuch(what: "bytes unpacked", found: unpacked.count, limit: Self.limit))
        }
        guard let packed = Gzip.packed(bytes), bytes.count <= Self.limit else { return }
        try FuzzFinding.check(Self.unpacked(packed) == bytes, .twoReadings(what: "packed bytes"))
    }

    private static func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.withUnsafeBufferPointer { buffer in
            // Why it is refused is no matter here.
            do throws(IntakeError) { return try Gzip.unpacked(buffer, limit: limit) } catch { return nil }
        }
    }
}
