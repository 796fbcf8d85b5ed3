import Crypto
import Testing

@testable import ThrongAttestation

@Suite("A device keeps its credential over starts")
struct StorageTests {
    @Test("a credential that was stored and read has the same tag, and is taken")
    func credential() throws {
        let issuer = TestIssuer()
        let credential = try issuer.credential()
        let stored = credential.rawRepresentation
        #expect(stored.count == 164 && stored.count == AttestationForm.credential.byteCount)
        let read = try Credential(rawRepresentation: stored)
        #expect(read.rawRepresentation == stored)
        for context in [[1], [2]] as [[UInt8]] {
            let presentation = read.present(for: context)
            #expect(presentation.tag == credential.present(for: context).tag)
            #expect(issuer.takes(presentation.rawRepresentation, for: context))
        }
    }

    @Test("a precredential that was stored and read sends the same request and takes its response")
    func precredential() throws {
        let issuer = TestIssuer()
        let precredential = Precredential(for: try issuer.publicKey, requestContext: TestIssuer.requestContext)
        let stored = precredential.rawRepresentation
        #expect(stored.count == 486 && stored.count == AttestationForm.precredential.byteCount)
        let read = try Precredential(rawRepresentation: stored)
        #expect(read.request.rawRepresentation == precredential.request.rawRepresentation)
        let response = try CredentialResponse(rawRepresentation: issuer.issue(read.request.rawRepresentation))
        let tags = try [precredential, read].map { try $0.finalize(response).tag(for: [1]) }
        #expect(tags[0] == tags[1])
    }

    @Test("what was stored and then cut off, or changed in any byte, is refused")
    func damaged() throws {
        let issuer = TestIssuer()
        let credential = try issuer.credential().rawRepresentation
        let precredential = Precredential(for: try issuer.publicKey, requestContext: [1]).rawRepresentation
        for count in 0..<credential.count {
            #expect(throws: AttestationError.length(of: .credential, found: count)) {
                try Credential(rawRepresentation: credential.prefix(count))
            }
        }
        for count in 0..<precredential.count {
            #expect(throws: AttestationError.length(of: .precredential, found: count)) {
                try Precredential(rawRepresentation: precredential.prefix(count))
            }
        }
        for mask in [0x01, 0x80] as [UInt8] {
            for place in credential.indices {
                let error: AttestationError =
                    place == 0 ? .version(of: .credential, found: 1 ^ mask) : .damaged(.credential)
                #expect(throws: error) {
                    try Credential(rawRepresentation: Bytes.changed(credential, at: place, by: mask))
                }
            }
            for place in precredential.indices.dropFirst() {
                #expect(throws: AttestationError.damaged(.precredential)) {
                    try Precredential(rawRepresentation: Bytes.changed(precredential, at: place, by: mask))
                }
            }
        }
        // One is not read as the other, and more bytes than there are belong to neither.
        #expect(throws: AttestationError.self) { try Credential(rawRepresentation: precredential) }
        #expect(throws: AttestationError.self) { try Credential(rawRepresentation: credential + [0]) }
    }

    /// With a digest that fits.
    private static func sealed(_ bytes: [UInt8], as name: String) -> [UInt8] {
        let fields = Array(bytes.dropLast(32))
        return fields + Array(SHA256.hash(data: Array("throng-arc-1 \(name)".utf8) + fields))
    }

    @Test("secrets that do not belong to the request are refused where the digest fits, and so are zeros")
    func inconsistent() throws {
        let issuer = TestIssuer()
        let stored = Precredential(for: try issuer.publicKey, requestContext: [1]).rawRepresentation
        _ = try Precredential(rawRepresentation: Self.sealed(stored, as: "stored precredential"))
        // m1, r1, r2, m2 and the request's first point.
        for place in [32, 64, 96, 128, 228] {
            #expect(throws: AttestationError.damaged(.precredential)) {
                try Precredential(
                    rawRepresentation: Self.sealed(
                        Bytes.changed(stored, at: place, by: 1), as: "stored precredential"))
            }
        }
        var credential = try issuer.credential().rawRepresentation
        credential.replaceSubrange(1..<33, with: [UInt8](repeating: 0, count: 32))
        #expect(throws: AttestationError.scalar(in: .credential, field: "m1")) {
            try Credential(rawRepresentation: Self.sealed(credential, as: "stored credential"))
        }
    }

    @Test("a credential that is printed shows nothing of itself")
    func printing() throws {
        let credential = try TestIssuer().credential()
        var dumped = ""
        dump(credential, to: &dumped)
        #expect("\(credential)" == "Credential" && !dumped.contains("w0"))
    }
}
