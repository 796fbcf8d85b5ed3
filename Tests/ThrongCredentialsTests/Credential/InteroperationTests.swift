import Crypto
import CryptoExtras
import Testing

@testable import ThrongAttestation

@Suite("Interoperation with swift-crypto's issuer and verifier")
struct InteroperationTests {
    @Test(
        "in 200 rounds a request is issued, its response taken and its presentations verified, with one tag a context")
    func rounds() throws {
        for round in 0..<200 {
            let issuer = TestIssuer()
            let credential = try issuer.credential()
            let contexts = ["one", "another"].map { Array("\($0), \(round)".utf8) }
            var tags: [PresentationTag] = []
            for context in contexts {
                let first = credential.present(for: context)
                let second = credential.present(for: context)
                #expect(first.rawRepresentation.count == 292 && first.tag.rawRepresentation.count == 33)
                for presentation in [first, second] {
                    #expect(issuer.takes(presentation.rawRepresentation, for: context))
                    #expect(try issuer.proves(presentation.rawRepresentation, for: context))
                }
                #expect(first.tag == second.tag && first.tag == credential.tag(for: context))
                #expect(try issuer.tag(of: first.rawRepresentation) == first.tag.rawRepresentation)
                tags.append(first.tag)
            }
            #expect(tags[0] != tags[1])
        }
    }

    @Test("two credentials of one issuer have different tags in one context")
    func devices() throws {
        let issuer = TestIssuer()
        let tags = try (0..<20).map { _ in try issuer.credential().tag(for: [1, 2, 3]) }
        #expect(Set(tags).count == 20)
    }

    @Test("a request of swift-crypto's client is proved, and its response is proved for it")
    func theirClient() throws {
        let issuer = TestIssuer()
        for _ in 0..<10 {
            let theirs = try issuer.key.publicKey.prepareCredentialRequest(requestContext: TestIssuer.requestContext)
            let bytes = Array(theirs.credentialRequest.rawRepresentation)
            let request = try CredentialRequest(rawRepresentation: bytes)
            #expect(request.isProved && request.rawRepresentation == bytes)
            let response = try CredentialResponse(rawRepresentation: issuer.issue(bytes))
            #expect(response.isProved(for: request, by: try issuer.publicKey))
            #expect(!response.isProved(for: request, by: try TestIssuer().publicKey))
        }
    }

    @Test("our check takes what swift-crypto's client shows with the limit 1, and reads its tag")
    func theirPresentation() throws {
        let issuer = TestIssuer()
        let publicKey = issuer.key.publicKey
        for round in 0..<10 {
            let precredential = try publicKey.prepareCredentialRequest(requestContext: TestIssuer.requestContext)
            var credential = try publicKey.finalize(
                issuer.key.issue(precredential.credentialRequest), for: precredential)
            let context = [UInt8(round)]
            let (theirs, nonce) = try credential.makePresentation(context: context, presentationLimit: 1)
            let bytes = Array(theirs.rawRepresentation)
            #expect(try nonce == 0 && issuer.proves(bytes, for: context))
            let read = try Presentation(rawRepresentation: bytes)
            #expect(read.tag.rawRepresentation == Array(theirs.tag) && read.rawRepresentation == bytes)
        }
    }

    @Test("two presentations share nothing but the tag in one context, and nothing in two")
    func unlinkable() throws {
        let credential = try TestIssuer().credential()
        func parts(_ presentation: Presentation) -> Set<[UInt8]> {
            let bytes = presentation.rawRepresentation
            let points = stride(from: 0, to: 132, by: 33).map { Array(bytes[($0 + 1)..<($0 + 33)]) }
            return Set(points + stride(from: 132, to: 292, by: 32).map { Array(bytes[$0..<($0 + 32)]) })
        }
        let first = credential.present(for: [1])
        let again = credential.present(for: [1])
        let other = credential.present(for: [2])
        #expect(parts(first).count == 9)
        #expect(parts(first).intersection(parts(again)) == [Array(first.tag.rawRepresentation.dropFirst())])
        #expect(parts(first).isDisjoint(with: parts(other)))
        let stored = Set(
            stride(from: 33, to: 132, by: 33).map { Array(credential.rawRepresentation[($0 + 1)..<($0 + 33)]) })
        #expect(parts(first).isDisjoint(with: stored))
    }
}
