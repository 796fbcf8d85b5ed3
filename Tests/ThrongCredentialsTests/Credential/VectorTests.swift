import Testing

@testable import ThrongAttestation

@Suite("The draft's vectors, byte for byte")
struct VectorTests {
    private static func bytes(_ vector: [String: String], _ fields: String...) throws -> [UInt8] {
        try fields.flatMap { Bytes.of(try #require(vector[$0])) }
    }

    private static func scalar(_ vector: [String: String], _ field: String) throws -> Scalar {
        try #require(Scalar(canonical: bytes(vector, field)))
    }

    /// The vectors give responses and no blindings. Of response = blinding − challenge · secret the blinding follows, and a
    /// proof made with it is the vector's only if the transcript is.
    private static func prove(as proof: [UInt8]) -> (ProofStatement, [Scalar]) throws -> Proof {
        { statement, secrets in
            let numbers = try stride(from: 0, to: proof.count, by: 32).map {
                try #require(Scalar(canonical: proof[$0..<($0 + 32)]))
            }
            let blindings = zip(numbers.dropFirst(), secrets).map { $0 + numbers[0] * $1 }
            return statement.prove(secrets, blindings: blindings)
        }
    }

    private static func key() throws -> IssuerKey {
        try IssuerKey(rawRepresentation: bytes(DraftVectors.serverKey, "X0", "X1", "X2"))
    }

    private static func precredential() throws -> Precredential {
        let vector = DraftVectors.credentialRequest
        return try Precredential(
            for: key(), requestContext: bytes(vector, "request_context"), m1: scalar(vector, "m1"),
            r1: scalar(vector, "r1"), r2: scalar(vector, "r2"), prove: prove(as: bytes(vector, "proof")))
    }

    private static func response() throws -> CredentialResponse {
        try CredentialResponse(
            rawRepresentation: bytes(
                DraftVectors.credentialResponse, "U", "enc_U_prime", "X0_aux", "X1_aux", "X2_aux", "H_aux", "proof"))
    }

    @Test("the request is the vector's, its proof too")
    func request() throws {
        let vector = DraftVectors.credentialRequest
        let request = try Self.precredential().request
        #expect(request.rawRepresentation == (try Self.bytes(vector, "m1_enc", "m2_enc", "proof")))
        #expect(request.isProved)
        #expect(Suite.attribute(of: try Self.bytes(vector, "request_context")) == (try Self.scalar(vector, "m2")))
    }

    @Test("the vector's response makes the vector's credential")
    func finalize() throws {
        let credential = try Self.precredential().finalize(Self.response())
        let stored = try Self.bytes(DraftVectors.credential, "m1", "U", "U_prime", "X1")
        #expect(credential.rawRepresentation.dropFirst().dropLast(32).elementsEqual(stored))
    }

    @Test("presentations are the vectors', their proofs too", arguments: [0, 1])
    func present(nonce: Int) throws {
        let vector = DraftVectors.presentations[nonce]
        let credential = try Self.precredential().finalize(Self.response())
        let context = try Self.bytes(vector, "presentation_context")
        let presentation = try credential.present(
            for: context, nonce: Scalar(UInt64(nonce)), a: Self.scalar(vector, "a"), r: Self.scalar(vector, "r"),
            z: Self.scalar(vector, "z"), prove: Self.prove(as: Self.bytes(vector, "proof")))
        let expected = try Self.bytes(vector, "U", "U_prime_commit", "m1_commit", "tag", "proof")
        #expect(presentation.rawRepresentation == expected)
        #expect(presentation.tag.rawRepresentation == (try Self.bytes(vector, "tag")))
        #expect((credential.tag(for: context) == presentation.tag) == (nonce == 0))
    }
}
