import Crypto
import CryptoExtras
import Testing

@testable import ThrongAttestation

@Suite("Proofs whose commitments are the point at infinity")
struct InfinityTests {
    /// 2 · G twice, and a challenge and responses of 0: each commitment is 0 · 2G + 0 · G + 0 · H.
    static let zeros: [UInt8] = {
        let point = Point.generator.doubled.compressed
        return point + point + [UInt8](repeating: 0, count: 160)
    }()

    /// The same with numbers that are not 0: 5 · 2G − 10 · G.
    static let cancelling: [UInt8] = {
        let point = Point.generator.doubled.compressed
        let ten = (-Scalar(10)).bytes
        return point + point + Scalar(5).bytes + ten + ten + Scalar.zero.bytes + Scalar.zero.bytes
    }()

    @Test("are proofs of nothing, also of one who knows the secrets and blinds them with 0")
    func refused() throws {
        for bytes in [Self.zeros, Self.cancelling] {
            #expect(try !CredentialRequest(rawRepresentation: bytes).isProved)
        }
        let secrets = (1...4).map { Scalar(UInt64($0)) }
        let statement = CredentialRequest.statement(
            Point.sum([(secrets[0], Suite.g), (secrets[2], Suite.h)]),
            Point.sum([(secrets[1], Suite.g), (secrets[3], Suite.h)]))
        #expect(statement.isProved(by: statement.prove(secrets, blindings: secrets)))
        let zeros = [Scalar](repeating: .zero, count: 4)
        #expect(!statement.isProved(by: statement.prove(secrets, blindings: zeros)))
    }

    @Test("stop a process that gives them to swift-crypto's issuer; once they do not, isProved need not be asked first")
    func upstream() async {
        await #expect(processExitsWith: .failure) {
            let request = try P256._ARCV1.CredentialRequest(rawRepresentation: InfinityTests.zeros)
            _ = try P256._ARCV1.PrivateKey().issue(request)
        }
        await #expect(processExitsWith: .failure) {
            let request = try P256._ARCV1.CredentialRequest(rawRepresentation: InfinityTests.cancelling)
            _ = try P256._ARCV1.PrivateKey().issue(request)
        }
    }

    /// Nobody needs a credential for it: m1Commit = 0 · U + 0 · H and the like.
    static let shown: [UInt8] = {
        let point = Point.generator.doubled.compressed
        return point + point + point + point + [UInt8](repeating: 0, count: 160)
    }()

    @Test("of a presentation are refused by our check, and stop swift-crypto's verifier")
    func presentation() async throws {
        #expect(try !TestIssuer().proves(Self.shown, for: [1]))
        await #expect(processExitsWith: .failure) {
            _ = try P256._ARCV1.PrivateKey().verify(
                P256._ARCV1.Presentation(rawRepresentation: InfinityTests.shown), requestContext: [1] as [UInt8],
                presentationContext: [1] as [UInt8], presentationLimit: 1, nonce: 0)
        }
    }

    @Test("of a response are refused by the device")
    func response() throws {
        let issuer = TestIssuer()
        let precredential = Precredential(for: try issuer.publicKey, requestContext: [1])
        let points = try issuer.issue(precredential.request.rawRepresentation).prefix(198)
        let response = try CredentialResponse(
            rawRepresentation: points + [UInt8](repeating: 0, count: 256))
        #expect(throws: AttestationError.unproved) { try precredential.finalize(response) }
    }
}
