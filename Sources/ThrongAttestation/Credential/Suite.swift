/// The suite ARCV1-P256 of draft-yun-cfrg-arc, as swift-crypto's `P256._ARCV1` has it: generators and hash domains.
///
/// Throng calls what it does with it `throng-arc-1`, because a draft may change.
enum Suite {
    private static let name = "ARCV1-P256"

    static let g = Point.generator

    /// A second generator, of which nobody knows the logarithm (section 4.1 of the draft).
    static let h = Point(hashing: g.compressed, domain: groupDomain("generatorH"))

    /// m₂ of the draft: the attribute that issuer and device agree on.
    static func attribute(of requestContext: [UInt8]) -> Scalar {
        Scalar(hashing: requestContext, domain: scalarDomain("requestContext"))
    }

    /// T of the draft: what a context's tags are multiples of.
    static func tagBase(of presentationContext: [UInt8]) -> Point {
        Point(hashing: presentationContext, domain: groupDomain("Tag"))
    }

    /// The domain of a proof's challenge, with the suite's name twice: the draft's label of a proof begins with it.
    static func challengeDomain(_ statement: String) -> [UInt8] { scalarDomain(name + statement) }

    private static func scalarDomain(_ use: String) -> [UInt8] { Array("HashToScalar-\(name)\(use)".utf8) }

    private static func groupDomain(_ use: String) -> [UInt8] { Array("HashToGroup-\(name)\(use)".utf8) }
}
