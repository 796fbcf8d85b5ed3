import Foundation
import ThrongAttestation
import ThrongIngest
import ThrongPlan
import ThrongWire

/// Bodies of a purpose that asks for proof and of an app with an evaluator: what credentials are asked for with, batches with proofs
/// and evaluated hashes, and what is said to stand behind these.
struct AttestedTarget: FuzzTarget {
    private let plan: ProvingPlan

    init() throws { plan = try ProvingPlan() }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let intake = plan.intake
        let batch = Self.read(bytes) { body throws(IntakeError) in
            try intake.read(body, signals: [], now: FuzzPlan.now)
        }
        if case .batch(let batch)? = batch { try check(batch) }
        let reveal = Self.read(bytes) { body throws(IntakeError) in
            try intake.readReveal(body, signals: [], now: FuzzPlan.now)
        }
        if let reveal, let reveal { try check(reveal) }
        if let asked = Self.read(bytes, { body throws(IntakeError) in try intake.readCredential(body) }) {
            try Self.check(asked, from: bytes.count)
        }
    }

    private func check(_ batch: IncomingBatch) throws(FuzzFinding) {
        try batch.bucketed.check(in: plan.space)
        try FuzzFinding.check(
            batch.candidates.allSatisfy { candidate in
                candidate.hash.isEvaluated && RevealedHash(wire: Array("\(candidate.hash)".utf8)) == candidate.hash
            }, .mismatch(what: "a hash and an evaluator"))
        guard let proof = batch.proof else { return }
        // 64 characters of base64url.
        try FuzzFinding.check(
            proof.tag.count <= 48, .tooMuch(what: "bytes of a tag", found: proof.tag.count, limit: 48))
        do throws(AttestationError) {
            _ = try Presentation(rawRepresentation: proof.presentation)
        } catch {
            // What is none proves nothing.
        }
    }

    private func check(_ reveal: IncomingReveal) throws(FuzzFinding) {
        guard let output = reveal.output else { throw .mismatch(what: "a value and an evaluator") }
        let key = RevealedKey(of: reveal.dimension, in: reveal.window, evaluator: plan.evaluator)
        guard let hash = key.hash(BucketLabel(reveal.value), output: output), hash.isEvaluated else {
            throw .mismatch(what: "a value and its hash")
        }
        let same = Reveal(
            app: reveal.window.app, purpose: reveal.window.purpose, window: reveal.window.number.value,
            dimension: reveal.dimension, value: reveal.value, output: output)
        // Nil is a finding.
        guard let body = (try? JSONEncoder().encode(same)).map({ Array($0) }) else { throw .written(what: "a value") }
        // Escapes may make it longer than a body may be.
        guard body.count <= Intake.revealBytes else { return }
        let again = Self.read(body) { body throws(IntakeError) in
            try plan.intake.readReveal(body, signals: [], now: FuzzPlan.now)
        }
        guard let again, let again else { throw .written(what: "a value") }
        try FuzzFinding.check(
            again.window == reveal.window && again.dimension == reveal.dimension && again.output == output
                && again.value.utf8.elementsEqual(reveal.value.utf8), .written(what: "a value"))
        do throws(UnfitValue) {
            _ = try BucketLabel(revealing: reveal.value)
        } catch {
            // What can't be a bucket's name is refused.
        }
    }

    private static func check(_ asked: IncomingCredential, from bytes: Int) throws(FuzzFinding) {
        let members = asked.evidence.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        let found = members + asked.epoch.utf8.count + asked.request.utf8.count + asked.attester.utf8.count
        try FuzzFinding.check(found <= bytes, .tooMuch(what: "bytes of a question", found: found, limit: bytes))
        try FuzzFinding.check(asked.evidence["by"] == nil, .mismatch(what: "evidence and who is asked"))
        if let epoch = Epoch(asked.epoch) {
            try FuzzFinding.check(epoch.description == asked.epoch, .written(what: "a month"))
        }
        for value in asked.evidence.values { _ = AnyBase64.bytes(value) }
        guard let request = AnyBase64.bytes(asked.request) else { return }
        do throws(AttestationError) {
            _ = try CredentialRequest(rawRepresentation: request)
        } catch {
            // What is none gets no credential.
        }
    }

    /// Nil where it is refused: why is no matter here.
    private static func read<Value>(
        _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) -> Value? {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) { return try body(buffer) } catch { return nil }
        }
    }
}
