extension Point {
    /// HashToGroup: hash_to_curve of P256_XMD:SHA-256_SSWU_RO_ (RFC 9380, sections 3 and 8.2).
    ///
    /// - Parameter domain: the whole of it, at most 255 bytes.
    init(hashing message: [UInt8], domain: [UInt8]) {
        let bytes = MessageExpansion.expand(message, domain: domain, count: 96)
        // The cofactor is 1: nothing to clear.
        self = Point(mapping: FieldElement(wide: bytes[..<48])) + Point(mapping: FieldElement(wide: bytes[48...]))
    }

    /// The simplified map of Shallue, van de Woestijne and Ulas (RFC 9380, sections 6.6.2 and F.2), for A = −3 and Z = −10;
    /// x comes as a fraction, and projective coordinates take it as it is.
    init(mapping u: FieldElement) {
        let zuu = -Self.ten * u.squared
        let sum = zuu.squared + zuu
        let numerator = Self.b * (sum + .one)
        let denominator = -(FieldElement.pick(-Self.ten, -sum, by: sum.isZero).tripled)
        let square = denominator.squared
        let cube = square * denominator
        // The curve's equation at numerator / denominator, as a fraction over the cube.
        let right = (numerator.squared - square.tripled) * numerator + Self.b * cube
        let (isSquare, root) = FieldElement.rootOfRatio(right, cube)
        let x = FieldElement.pick(numerator, zuu * numerator, by: isSquare)
        let y = FieldElement.pick(root, zuu * u * root, by: isSquare)
        let isOther = Choice(bit: u.sign ^ y.sign)
        self.init(x: x, y: FieldElement.pick(-y, y, by: isOther) * denominator, z: denominator)
    }

    private static let ten = FieldElement(Limbs(10, 0, 0, 0))
}
