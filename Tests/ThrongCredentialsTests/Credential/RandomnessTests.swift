import Testing

@testable import ThrongAttestation

/// Random numbers that are none.
private struct Stuck: RandomNumberGenerator {
    mutating func next() -> UInt64 { 7 }
}

@Suite("Randomness that is bad or used again")
struct RandomnessTests {
    private static func numbers(_ bytes: [UInt8]) throws -> [Scalar] {
        try stride(from: 132, to: 292, by: 32).map { try #require(Scalar(canonical: bytes[$0..<($0 + 32)])) }
    }

    /// m1 of two proofs, if both have the same blinding for it.
    private static func secret(_ first: Presentation, _ second: Presentation) throws -> Scalar {
        let (one, two) = (try numbers(first.rawRepresentation), try numbers(second.rawRepresentation))
        return (one[1] - two[1]) * (two[0] - one[0]).inverse
    }

    @Test("a device whose random numbers are stuck gives its secret away in no two contexts")
    func hedged() throws {
        let credential = try TestIssuer().credential()
        let m1 = try #require(Scalar(canonical: credential.rawRepresentation[1..<33]))
        var stuck = Stuck()
        let first = credential.present(for: [1], using: &stuck)
        let second = credential.present(for: [2], using: &stuck)
        #expect(try Self.secret(first, second) != m1)
        // Nor are they linked by U = a · U.
        #expect(first.rawRepresentation.prefix(33) != second.rawRepresentation.prefix(33))
        // In one context both are the same, which says nothing new.
        #expect(credential.present(for: [1], using: &stuck).rawRepresentation == first.rawRepresentation)

        // The control: with the blindings of one context in another one the secret is there to be read.
        func unhedged(_ context: [UInt8]) -> Presentation {
            let same = (1...4).map { Scalar(UInt64($0)) }
            return credential.present(for: context, nonce: .zero, a: same[0], r: same[1], z: same[2]) {
                $0.prove($1, blindings: same)
            }
        }
        #expect(try Self.secret(unhedged([1]), unhedged([2])) == m1)
    }

    @Test("with good random numbers a device never presents the same bytes twice")
    func fresh() throws {
        let credential = try TestIssuer().credential()
        let presentations = (0..<20).map { _ in credential.present(for: [1]).rawRepresentation }
        #expect(Set(presentations).count == 20)
        let key = try TestIssuer().publicKey
        let requests = (0..<20).map { _ in Precredential(for: key, requestContext: [1]).request.rawRepresentation }
        #expect(Set(requests).count == 20)
    }
}
