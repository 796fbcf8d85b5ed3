import CryptoExtras
import Testing
import ThrongWire

@testable import ThrongAttestation

@Suite("What is not as it was made is refused")
struct RefusalTests {
    private static let masks: [UInt8] = [0x01, 0x80]

    @Test("each changed byte of a request: by our reading and by the issuer")
    func request() throws {
        let issuer = TestIssuer()
        let good = Precredential(for: try issuer.publicKey, requestContext: [1]).request.rawRepresentation
        #expect(good.count == 226)
        #expect(try CredentialRequest(rawRepresentation: good).isProved && issuer.issue(good).count == 454)
        for place in good.indices {
            for mask in Self.masks {
                let bad = Bytes.changed(good, at: place, by: mask)
                let isProved = (try? CredentialRequest(rawRepresentation: bad))?.isProved ?? false
                #expect(!isProved, "byte \(place)")
                #expect(throws: (any Error).self, "byte \(place)") { try issuer.issue(bad) }
            }
        }
    }

    @Test("each changed byte of a response")
    func response() throws {
        let issuer = TestIssuer()
        let precredential = Precredential(for: try issuer.publicKey, requestContext: [1])
        let good = try issuer.issue(precredential.request.rawRepresentation)
        #expect(good.count == 454)
        _ = try precredential.finalize(CredentialResponse(rawRepresentation: good))
        for place in good.indices {
            for mask in Self.masks {
                #expect(throws: AttestationError.self, "byte \(place)") {
                    try precredential.finalize(
                        CredentialResponse(rawRepresentation: Bytes.changed(good, at: place, by: mask)))
                }
            }
        }
    }

    @Test("each changed byte of a presentation")
    func presentation() throws {
        let issuer = TestIssuer()
        let context = Array("window 7".utf8)
        let good = try issuer.credential().present(for: context).rawRepresentation
        #expect(try good.count == 292 && issuer.takes(good, for: context) && issuer.proves(good, for: context))
        for place in good.indices {
            for mask in Self.masks {
                let bad = Bytes.changed(good, at: place, by: mask)
                #expect(!issuer.takes(bad, for: context), "byte \(place)")
                #expect(try !issuer.proves(bad, for: context), "byte \(place)")
            }
        }
    }

    @Test("a response to another request, of another key, or with another request context")
    func strangers() throws {
        let (issuer, other) = (TestIssuer(), TestIssuer())
        let mine = Precredential(for: try issuer.publicKey, requestContext: [1])
        let yours = Precredential(for: try issuer.publicKey, requestContext: [1])
        let theirs = Precredential(for: try other.publicKey, requestContext: [1])
        let response = try CredentialResponse(
            rawRepresentation: issuer.issue(mine.request.rawRepresentation))
        _ = try mine.finalize(response)
        for precredential in [yours, theirs] {
            #expect(throws: AttestationError.unproved) { try precredential.finalize(response) }
        }
    }

    @Test("a presentation in another window, for another epoch, with another nonce, or to another issuer")
    func elsewhere() throws {
        let issuer = TestIssuer()
        let window = try PresentationContext.window(.init(20_780), of: "product", app: "shop").bytes
        let next = try PresentationContext.window(.init(20_781), of: "product", app: "shop").bytes
        let presentation = try issuer.credential().present(for: window).rawRepresentation
        #expect(issuer.takes(presentation, for: window))
        #expect(!issuer.takes(presentation, for: next))
        #expect(!issuer.takes(presentation, for: window, requestContext: Array("shop, 2026-12".utf8)))
        #expect(try issuer.proves(presentation, for: window) && !issuer.proves(presentation, for: next))
        #expect(try !issuer.proves(presentation, for: window, requestContext: Array("shop, 2026-12".utf8)))
        #expect(try !TestIssuer().proves(presentation, for: window))
        #expect(!issuer.takes(presentation, for: window, limit: 2, nonce: 1))
        #expect(!issuer.takes(presentation, for: window, limit: 1, nonce: 1))
        #expect(!issuer.takes(presentation, for: window, limit: 0, nonce: 0))
        #expect(!TestIssuer().takes(presentation, for: window))
    }

    @Test("a presentation with the nonce 1, where swift-crypto's verifier takes it for the limit 2")
    func secondNonce() throws {
        let issuer = TestIssuer()
        let publicKey = issuer.key.publicKey
        let precredential = try publicKey.prepareCredentialRequest(requestContext: TestIssuer.requestContext)
        var credential = try publicKey.finalize(issuer.key.issue(precredential.credentialRequest), for: precredential)
        for _ in 0..<2 {
            let (theirs, nonce) = try credential.makePresentation(context: [7], presentationLimit: 2)
            let bytes = Array(theirs.rawRepresentation)
            #expect(issuer.takes(bytes, for: [7], limit: 2, nonce: nonce))
            #expect(try issuer.proves(bytes, for: [7]) == (nonce == 0))
        }
    }

    @Test("bytes that are too few or too many, points that are none, numbers from the order on")
    func malformed() throws {
        let issuer = TestIssuer()
        let key = try issuer.publicKey
        let precredential = Precredential(for: key, requestContext: [1])
        let request = precredential.request.rawRepresentation
        let response = try issuer.issue(request)

        for count in [0, 1, 225, 227] {
            #expect(throws: AttestationError.length(of: .request, found: count)) {
                try CredentialRequest(rawRepresentation: (request + request).prefix(count))
            }
        }
        #expect(throws: AttestationError.length(of: .response, found: 453)) {
            try CredentialResponse(rawRepresentation: response.dropLast())
        }
        #expect(throws: AttestationError.length(of: .issuerKey, found: 100)) {
            try IssuerKey(rawRepresentation: key.rawRepresentation + [0])
        }
        let fields = ["U", "encUPrime", "X0Aux", "X1Aux", "X2Aux", "HAux"]
        for (number, field) in fields.enumerated() {
            // No identity, no uncompressed point, and not more than the coordinate's field.
            for bad in [[UInt8](repeating: 0, count: 33), [4] + response[1..<33], [2] + Schoolbook.p.bytes] {
                var bytes = response
                bytes.replaceSubrange((33 * number)..<(33 * number + 33), with: bad)
                #expect(throws: AttestationError.point(in: .response, field: field)) {
                    try CredentialResponse(rawRepresentation: bytes)
                }
            }
        }
        for number in 0..<8 {
            var bytes = response
            bytes.replaceSubrange((198 + 32 * number)..<(230 + 32 * number), with: Schoolbook.n.bytes)
            #expect(throws: AttestationError.self) { try CredentialResponse(rawRepresentation: bytes) }
        }
    }

    @Test("bytes at random, of any length: nothing stops at them, and nothing is made of them")
    func noise() throws {
        let key = Array(TestIssuer().key.rawRepresentation)
        let secrets = try IssuerSecrets(rawRepresentation: key)
        for round in 0..<2000 {
            let forms: [AttestationForm] = [
                .issuerKey, .request, .response, .presentation, .precredential, .credential,
            ]
            let form = forms[round % forms.count]
            let count = round % 4 == 0 ? Int.random(in: 0...500) : form.byteCount
            var bytes = Bytes.random(count)
            // Points that may be some, and a version that is read.
            for place in stride(from: 0, to: bytes.count, by: 33) { bytes[place] = UInt8.random(in: 1...3) }
            var made = 0
            if (try? CredentialRequest(rawRepresentation: bytes))?.isProved ?? false { made += 1 }
            let presentation = try? Presentation(rawRepresentation: bytes)
            if presentation?.isProved(for: [1], requestContext: [2], by: secrets) ?? false { made += 1 }
            if (try? Precredential(rawRepresentation: bytes)) != nil { made += 1 }
            if (try? Credential(rawRepresentation: bytes)) != nil { made += 1 }
            _ = try? CredentialResponse(rawRepresentation: bytes)
            _ = try? IssuerKey(rawRepresentation: bytes)
            #expect(made == 0)
        }
    }

    @Test("messages say what was found, what is allowed and what to do")
    func messages() {
        let message = AttestationError.length(of: .response, found: 3).description
        #expect(message.contains("454") && message.contains("3") && message.hasSuffix("Send the same request again."))
        #expect(AttestationError.version(of: .credential, found: 9).description.contains("version 9"))
        #expect(AttestationError.unproved.description.contains("fetch the key again"))
    }
}
