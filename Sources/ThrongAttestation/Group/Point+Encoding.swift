extension Point {
    static let byteCount = 33

    /// SEC 1, section 2.3.3, compressed: 2 where y is even and 3 where it is odd, then x, the highest byte first. The identity
    /// comes out as 33 zeros, which no decoder takes.
    var compressed: [UInt8] {
        let inverse = z.inverse
        let affineX = x * inverse
        let parity = (y * inverse).sign
        let prefix = (2 | parity) & (!isIdentity).mask
        return [UInt8(truncatingIfNeeded: prefix)] + affineX.bytes
    }

    /// SEC 1, section 2.3.4, compressed points only: nil for other lengths and first bytes, for an x from p on, and for one
    /// that no point of the curve has. The identity has no such form, so it is never read.
    init?(compressed bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, let prefix = bytes.first, prefix == 2 || prefix == 3,
            let x = FieldElement(canonical: bytes.dropFirst())
        else { return nil }
        let right = Self.right(of: x)
        let root = right.rootOfSquare
        guard root.squared.equals(right).isYes else { return nil }
        let isOther = Choice(bit: root.sign ^ UInt64(prefix & 1))
        self.init(x: x, y: FieldElement.pick(-root, root, by: isOther), z: .one)
    }

    /// x³ − 3x + b.
    static func right(of x: FieldElement) -> FieldElement { (x.squared * x - x.tripled) + b }
}
