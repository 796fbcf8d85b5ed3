/// A Schnorr proof of a ``ProofStatement``: the challenge, and a response for each secret (section 5.1 of draft-yun-cfrg-arc).
struct Proof: Sendable, Equatable {
    let challenge: Scalar
    let responses: [Scalar]

    /// The challenge, then the responses; 32 bytes each.
    var bytes: [UInt8] { challenge.bytes + responses.flatMap(\.bytes) }
}
