import Crypto
import CryptoExtras
import ThrongAttestation
import ThrongWire

/// A device's half of a credential, a daemon's check of it, and both halves of an evaluation, with secrets that valgrind takes for
/// memory that nobody wrote: it then tells each branch and each address that depends on one of them. Run it as `valgrind
/// --malloc-fill=0x00`; with `leak` it has a branch that does.
@main
struct SecretTrace {
    static func main() throws {
        let key = P256._ARCV1.PrivateKey()
        let issuer = try IssuerKey(rawRepresentation: key.publicKey.rawRepresentation)
        let made = Precredential(for: issuer, requestContext: [1])
        let request = made.request.rawRepresentation
        let response = try CredentialResponse(
            rawRepresentation: key.issue(P256._ARCV1.CredentialRequest(rawRepresentation: request)).rawRepresentation)
        // m1, r1 and r2.
        let stored = unwritten(made.rawRepresentation, from: 1, to: 97)
        let credential = try Precredential(rawRepresentation: stored).finalize(response)
        let tag = credential.tag(for: [2])
        let presentation = credential.present(for: [3])
        // x0, x1 and x2.
        let secrets = try IssuerSecrets(rawRepresentation: unwritten(Array(key.rawRepresentation), from: 0, to: 96))
        let shown = try Precredential(rawRepresentation: made.rawRepresentation).finalize(response).present(for: [4])
        _ = shown.isProved(for: [4], requestContext: [1], by: secrets)
        // The same with secrets that were written: a verdict may be branched on.
        let isTaken = shown.isProved(
            for: [4], requestContext: [1], by: try IssuerSecrets(rawRepresentation: key.rawRepresentation))
        // An evaluator's key, and a value that is blinded for one.
        let evaluator = EvaluatorSecret(seed: [7])
        let seed = unwritten([UInt8](repeating: 7, count: 32), from: 0, to: 32)
        _ = try EvaluatorSecret(seed: seed).evaluate(ValueBlinder().blind([[5]], for: evaluator.publicKey).request)
        let value = unwritten(Array("a value".utf8), from: 0, to: 7)
        _ = try ValueBlinder().blind([value], for: evaluator.publicKey).request
        if CommandLine.arguments.contains("leak"), stored[40] & 1 == 1 || tag.rawRepresentation[9] & 1 == 1 {
            print("a branch that depends on a secret")
        }
        print("\(presentation.rawRepresentation.count) bytes, \(isTaken ? "taken" : "refused")")
    }

    /// The same bytes, some of them mixed with zeros that were never written.
    private static func unwritten(_ bytes: [UInt8], from start: Int, to end: Int) -> [UInt8] {
        let zeros = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        defer { zeros.deallocate() }
        var mixed = bytes
        for place in start..<end { mixed[place] ^= zeros[place] }
        return mixed
    }
}
