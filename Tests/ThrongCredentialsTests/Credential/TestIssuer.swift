import Crypto
import CryptoExtras
import Foundation

@testable import ThrongAttestation

/// The daemon's half: swift-crypto's issuer and verifier, behind bytes.
struct TestIssuer {
    let key: P256._ARCV1.PrivateKey

    init() { key = P256._ARCV1.PrivateKey() }

    /// - Parameter secrets: x0, x1, x2 and x0Blinding, 32 bytes each.
    init(secrets: [UInt8]) throws { key = try P256._ARCV1.PrivateKey(rawRepresentation: secrets) }

    static let requestContext = Array("shop, 2026-11".utf8)

    var publicKey: IssuerKey {
        get throws { try IssuerKey(rawRepresentation: key.publicKey.rawRepresentation) }
    }

    var secrets: IssuerSecrets {
        get throws { try IssuerSecrets(rawRepresentation: key.rawRepresentation) }
    }

    func issue(_ request: [UInt8]) throws -> [UInt8] {
        Array(try key.issue(P256._ARCV1.CredentialRequest(rawRepresentation: request)).rawRepresentation)
    }

    /// Whether our own check takes a presentation.
    func proves(
        _ presentation: [UInt8], for context: [UInt8], requestContext: [UInt8] = TestIssuer.requestContext
    ) throws -> Bool {
        do {
            return try Presentation(rawRepresentation: presentation)
                .isProved(for: context, requestContext: requestContext, by: secrets)
        } catch is AttestationError {
            return false
        }
    }

    /// Whether a presentation is taken; one that can't even be read is not.
    func takes(
        _ presentation: [UInt8], for context: [UInt8], requestContext: [UInt8] = TestIssuer.requestContext,
        limit: Int = 1, nonce: Int = 0
    ) -> Bool {
        do {
            return try key.verify(
                P256._ARCV1.Presentation(rawRepresentation: presentation), requestContext: requestContext,
                presentationContext: context, presentationLimit: limit, nonce: nonce)
        } catch {
            return false
        }
    }

    func tag(of presentation: [UInt8]) throws -> [UInt8] {
        Array(try P256._ARCV1.Presentation(rawRepresentation: presentation).tag)
    }

    /// A credential of this issuer, all the way over bytes.
    func credential(requestContext: [UInt8] = TestIssuer.requestContext) throws -> Credential {
        let precredential = Precredential(for: try publicKey, requestContext: requestContext)
        let response = try issue(precredential.request.rawRepresentation)
        return try precredential.finalize(CredentialResponse(rawRepresentation: response))
    }
}
