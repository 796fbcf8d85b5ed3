import Testing
import ThrongWire

@testable import ThrongAttestation

@Suite("What an evaluator's key makes of a value is RFC 9497's, and nothing else is taken for it")
struct EvaluationTests {
    private static let secret = EvaluatorSecret(
        seed: Bytes.of(EvaluationVectors.seed), info: Bytes.of(EvaluationVectors.info))

    private static func key() throws -> EvaluatorKey {
        try #require(EvaluatorKey(text: Array(Base64URL.text(of: Bytes.of(EvaluationVectors.key)).utf8)))
    }

    private static func inputs(_ count: Int) -> [[UInt8]] { (0..<count).map { Array("value \($0)".utf8) } }

    @Test("the key of the RFC's seed is the RFC's")
    func derived() throws {
        let scalar = EvaluationSuite.secret(
            of: Bytes.of(EvaluationVectors.seed), info: Bytes.of(EvaluationVectors.info))
        #expect(scalar.bytes == Bytes.of(EvaluationVectors.secret))
        #expect(try Self.secret.publicKey == Self.key())
        #expect(EvaluatorSecret(seed: Bytes.of(EvaluationVectors.seed)).publicKey != Self.secret.publicKey)
    }

    @Test("blinded points, evaluated points, proofs and outputs are the RFC's", arguments: EvaluationVectors.all)
    func vectors(_ vector: EvaluationVectors.Vector) throws {
        let blinds = try vector.blinds.map { try #require(Scalar(canonical: Bytes.of($0))) }
        let blinded = try BlindedValues(vector.inputs.map(Bytes.of), blinds: blinds, for: Self.key())
        #expect(blinded.request == vector.blinded.flatMap(Bytes.of))
        let random = try #require(Scalar(canonical: Bytes.of(vector.random)))
        let answer = Self.secret.evaluate(try EvaluatorSecret.read(blinded.request)) { _, _ in random }
        #expect(answer == vector.evaluated.flatMap(Bytes.of) + Bytes.of(vector.proof))
        #expect(try blinded.outputs(of: answer).map(\.bytes) == vector.outputs.map(Bytes.of))
    }

    @Test(
        "outputs are the same whenever and with whatever a value is blinded; requests never are, and fill up to a size")
    func sizes() throws {
        var known: [[UInt8]: EvaluatedOutput] = [:]
        for (count, size) in [(1, 4), (4, 4), (5, 16), (16, 16)] {
            let inputs = Self.inputs(count)
            let blinded = try ValueBlinder().blind(inputs, for: Self.key())
            #expect(blinded.request.count == size * 33)
            #expect(try ValueBlinder().blind(inputs, for: Self.key()).request != blinded.request)
            let outputs = try blinded.outputs(of: Self.secret.evaluate(blinded.request))
            #expect(Set(outputs).count == count)
            for (input, output) in zip(inputs, outputs) {
                #expect(known[input] ?? output == output)
                known[input] = output
            }
        }
        #expect(throws: EvaluationError.self) { try ValueBlinder().blind([], for: Self.key()) }
        #expect(throws: EvaluationError.self) { try ValueBlinder().blind(Self.inputs(17), for: Self.key()) }
    }

    @Test("every changed byte of an answer, and the answer of another key or to another request, is refused")
    func lies() throws {
        let blinded = try ValueBlinder().blind(Self.inputs(2), for: Self.key())
        let answer = try Self.secret.evaluate(blinded.request)
        #expect(try blinded.outputs(of: answer).count == 2)
        for place in answer.indices {
            let changed = Bytes.changed(answer, at: place, by: 1 << UInt8(place % 8))
            #expect(throws: EvaluationError.self, "byte \(place)") { try blinded.outputs(of: changed) }
        }
        let other = EvaluatorSecret(seed: Bytes.random(32))
        #expect(throws: EvaluationError.unproved) { try blinded.outputs(of: other.evaluate(blinded.request)) }
        let foreign = try ValueBlinder().blind(Self.inputs(2), for: Self.key())
        #expect(throws: EvaluationError.unproved) { try blinded.outputs(of: Self.secret.evaluate(foreign.request)) }
        for bytes in [[], Array(answer.dropLast()), answer + [0], Bytes.random(answer.count)] {
            #expect(throws: EvaluationError.self) { try blinded.outputs(of: bytes) }
        }
    }

    @Test("an answer whose commitments are the point at infinity proves nothing, also of one who knows the key")
    func infinity() throws {
        let blinded = try ValueBlinder().blind(Self.inputs(1), for: Self.key())
        let answer = try Self.secret.evaluate(blinded.request)
        let points = Array(answer.dropLast(64))
        let secret = try #require(Scalar(canonical: Bytes.of(EvaluationVectors.secret)))
        // s · G + c · k · G is the identity where s is −c · k; so is all with zeros.
        let five = Scalar(5)
        for proof in [Scalar.zero.bytes + Scalar.zero.bytes, five.bytes + (-(five * secret)).bytes] {
            #expect(throws: EvaluationError.unproved) { try blinded.outputs(of: points + proof) }
        }
        let same = try EvaluatorSecret.read(blinded.request)
        let zero = EvaluationProof.prove(
            secret, key: try #require(Point(compressed: Bytes.of(EvaluationVectors.key))), points: same,
            evaluated: same.map { secret * $0 }, random: .zero)
        #expect(throws: EvaluationError.unproved) { try blinded.outputs(of: points + zero.bytes) }
    }

    @Test("an evaluator takes points of the curve in two sizes, and stops at nothing else")
    func requests() throws {
        let request = try ValueBlinder().blind(Self.inputs(3), for: Self.key()).request
        #expect(try Self.secret.evaluate(request).count == 4 * 33 + 64)
        for count in [0, 1, 33, 66, 131, 133, 165, 16 * 33 + 1, 17 * 33, 4096] {
            #expect(throws: EvaluationError.length(found: count)) { try Self.secret.evaluate(Bytes.random(count)) }
        }
        // The identity has no compressed form; SEC 1 writes it as one byte of 0, and here it would be 33.
        let identity = [UInt8](repeating: 0, count: 33)
        #expect(throws: EvaluationError.point) { try Self.secret.evaluate(identity + request.dropFirst(33)) }
        for place in request.indices {
            var changed = request
            changed[place] ^= 0x80
            // It is another point or none; there is nothing else.
            let isPoint = Point(compressed: changed[(place / 33 * 33)..<(place / 33 * 33 + 33)]) != nil
            do {
                _ = try Self.secret.evaluate(changed)
                #expect(isPoint, "byte \(place)")
            } catch {
                #expect(!isPoint && error == .point, "byte \(place)")
            }
        }
        for _ in 0..<50 {
            do { _ = try Self.secret.evaluate(Bytes.random(132)) } catch { #expect(error == .point) }
        }
    }

    @Test("a key is 33 bytes that begin as a point does, in base64url")
    func keys() throws {
        let key = try Self.key()
        #expect(key.description.utf8.count == 44 && EvaluatorKey(text: key.description.utf8) == key)
        for text in [
            "", "AAAA", String(key.description.dropLast()), key.description + "A", "B" + key.description.dropFirst(),
        ] {
            #expect(EvaluatorKey(text: text.utf8) == nil, "\(text)")
        }
        // It looks like one, and no point has that x.
        let none = (0...UInt8.max).lazy.map { [2] + [UInt8](repeating: 0, count: 31) + [$0] }
            .first { Point(compressed: $0) == nil }
        let text = Base64URL.text(of: try #require(none))
        let looksRight = try #require(EvaluatorKey(text: text.utf8))
        #expect(throws: EvaluationError.point) { try ValueBlinder().blind(Self.inputs(1), for: looksRight) }
    }
}
