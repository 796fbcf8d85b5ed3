import ArgumentParser
import Crypto
import CryptoExtras
import Foundation
import ThrongAttestation

/// Times a device's half of a credential beside the daemon's, and looks whether a secret can be seen in the time that it takes.
struct AttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation", abstract: "Milliseconds of a credential's steps, and whether time tells secrets.")

    @Option(help: "Rounds of each step.")
    var rounds = 100

    @Option(help: "Measurements of one secret and of random ones; 0 for none.")
    var measurements = 20_000

    private static let requestContext = Array("shop, 2026-11".utf8)
    private static let context = Array("shop, product, 20780".utf8)

    func run() throws {
        try steps()
        guard measurements > 0 else { return }
        try timing()
    }

    private func steps() throws {
        var taken: [(step: String, milliseconds: [Double])] = [
            "device: request", "daemon: check the request (ours)", "daemon: issue (swift-crypto)", "device: finalize",
            "device: present", "device: the tag alone", "daemon: verify (swift-crypto)",
            "daemon: check the presentation (ours)",
        ].map { ($0, []) }
        func measure<Result>(_ step: Int, _ work: () throws -> Result) rethrows -> Result {
            let clock = ContinuousClock()
            let start = clock.now
            let result = try work()
            taken[step].milliseconds.append((clock.now - start) / .milliseconds(1))
            return result
        }
        let key = P256._ARCV1.PrivateKey()
        let issuer = try IssuerKey(rawRepresentation: key.publicKey.rawRepresentation)
        let secrets = try IssuerSecrets(rawRepresentation: key.rawRepresentation)
        for _ in 0..<rounds {
            let precredential = measure(0) { Precredential(for: issuer, requestContext: Self.requestContext) }
            let request = precredential.request.rawRepresentation
            let isProved = try measure(1) { try CredentialRequest(rawRepresentation: request).isProved }
            let response = try measure(2) {
                try key.issue(P256._ARCV1.CredentialRequest(rawRepresentation: request)).rawRepresentation
            }
            let credential = try measure(3) {
                try precredential.finalize(CredentialResponse(rawRepresentation: response))
            }
            let presentation = measure(4) { credential.present(for: Self.context) }
            let tag = measure(5) { credential.tag(for: Self.context) }
            let isTaken = try measure(6) {
                try key.verify(
                    P256._ARCV1.Presentation(rawRepresentation: presentation.rawRepresentation),
                    requestContext: Self.requestContext, presentationContext: Self.context, presentationLimit: 1,
                    nonce: 0)
            }
            let isShown = try measure(7) {
                try Presentation(rawRepresentation: presentation.rawRepresentation)
                    .isProved(for: Self.context, requestContext: Self.requestContext, by: secrets)
            }
            precondition(isProved && isTaken && isShown && tag == presentation.tag, "a step went wrong")
        }
        print("median of \(rounds), milliseconds")
        for (step, milliseconds) in taken {
            print(String(format: "%9.3f  ", milliseconds.sorted()[rounds / 2]) + step)
        }
    }

    /// The leakage test of Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?" (2017): Welch's t between the times
    /// of one secret, 1, and of random ones. Beyond 4.5 either way there is something to see; the control has to be.
    private func timing() throws {
        let pool = 64
        let random = try (0..<pool).map { _ in try Self.stored() }
        let fixed = random.map { Self.sealed([1] + [UInt8](repeating: 0, count: 31) + [1] + $0[33..<132]) }
        print("\nWelch's t, one secret against random ones, \(measurements) measurements: all, and the fastest 90 %")
        let credentials = try [fixed, random].map { try $0.map { try Credential(rawRepresentation: $0) } }
        Self.show(compare { _ = credentials[$0][$1].tag(for: Self.context) }, as: "a tag")
        let bits = [fixed, random].map { $0.map { $0[1..<33].reduce(0) { $0 + $1.nonzeroBitCount } } }
        let control = compare { for _ in 0..<bits[$0][$1] { _ = SHA256.hash(data: Self.context) } }
        Self.show(control, as: "the control, a hash for each bit that is set")
    }

    /// Microseconds of each class, in an order that is drawn.
    private func compare(_ work: (_ isRandom: Int, _ place: Int) -> Void) -> [[Double]] {
        let clock = ContinuousClock()
        var times: [[Double]] = [[], []]
        for round in 0..<measurements {
            let isRandom = Bool.random() ? 1 : 0
            let start = clock.now
            work(isRandom, round % 64)
            times[isRandom].append((clock.now - start) / .microseconds(1))
        }
        return times
    }

    private static func show(_ times: [[Double]], as name: String) {
        let limit = times.joined().sorted()[times.joined().count * 9 / 10]
        let cropped = times.map { $0.filter { $0 <= limit } }
        print(String(format: "%9.2f %9.2f  ", welch(times), welch(cropped)) + name)
    }

    private static func welch(_ times: [[Double]]) -> Double {
        let moments = times.map { values in
            let mean = values.reduce(0, +) / Double(values.count)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
            return (mean: mean, error: variance / Double(values.count))
        }
        return (moments[0].mean - moments[1].mean) / (moments[0].error + moments[1].error).squareRoot()
    }

    private static func stored() throws -> [UInt8] {
        let key = P256._ARCV1.PrivateKey()
        let issuer = try IssuerKey(rawRepresentation: key.publicKey.rawRepresentation)
        let precredential = Precredential(for: issuer, requestContext: requestContext)
        let response = try key.issue(
            P256._ARCV1.CredentialRequest(rawRepresentation: precredential.request.rawRepresentation))
        return try precredential.finalize(CredentialResponse(rawRepresentation: response.rawRepresentation))
            .rawRepresentation
    }

    /// A stored credential's bytes with the digest that fits.
    private static func sealed(_ fields: [UInt8]) -> [UInt8] {
        fields + SHA256.hash(data: Array("throng-arc-1 stored credential".utf8) + fields)
    }
}
