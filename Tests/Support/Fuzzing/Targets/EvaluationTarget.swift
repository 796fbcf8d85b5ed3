import ThrongAttestation
import ThrongWire

/// What devices and evaluators say to each other. Points are answered, whichever they are; what no key made is no answer.
struct EvaluationTarget: FuzzTarget {
    private let secret = EvaluatorSecret(seed: Array("fuzz".utf8))
    private let blinded: any BlindedInputs

    init() throws { blinded = try ValueBlinder().blind([Array("fuzz".utf8)], for: secret.publicKey) }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let answer = Self.tried({ () throws(EvaluationError) in try secret.evaluate(bytes) }) {
            try FuzzFinding.check(answer.count == bytes.count + 64, .mismatch(what: "an evaluator's answer"))
        }
        do {
            _ = try blinded.outputs(of: bytes)
        } catch {
            // As it has to be: the key has never seen this request.
            return
        }
        throw .mismatch(what: "an answer that no evaluator made")
    }

    /// Nil where it is refused: why is no matter here.
    private static func tried<Value>(_ work: () throws(EvaluationError) -> Value) -> Value? {
        do throws(EvaluationError) { return try work() } catch { return nil }
    }
}
