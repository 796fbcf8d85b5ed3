import NIOCore
import Testing
import ThrongAttestation
import ThrongPlan
import ThrongWire

@testable import ThrongIngest
@testable import ThrongServer

@Suite(
    "With an evaluator a daemon takes evaluated hashes alone, and makes them again from what devices hand in",
    .serialized)
struct EvaluatedRevealTests {
    private static let secret = EvaluatorSecret(seed: Array(repeating: 7, count: 32))
    private static let crowd = 400

    private static func output(_ value: BucketLabel, by secret: EvaluatorSecret = secret) throws -> EvaluatedOutput {
        let blinded = try ValueBlinder().blind(
            [EvaluatedOutput.input(of: value, dimension: "query", app: "shop")], for: secret.publicKey)
        return try #require(try blinded.outputs(of: secret.evaluate(blinded.request)).first)
    }

    private static func hash(
        _ value: BucketLabel, _ output: EvaluatedOutput, in house: IngestionHouse, key: EvaluatorKey = secret.publicKey
    ) throws -> String {
        let key = RevealedKey(of: "query", in: house.window(of: "product"), evaluator: key)
        return try #require(key.hash(value, output: output)).description
    }

    /// Sends a hash from a crowd; returns whether it was asked for.
    private static func send(_ hash: String, to house: IngestionHouse, as name: String = "device") throws -> Bool {
        var isAsked = false
        for number in 1...crowd where try house.search(hash, by: "\(name) \(number)") { isAsked = true }
        return isAsked
    }

    private static func reveal(
        _ value: String, _ output: EvaluatedOutput?, to house: IngestionHouse
    ) async throws -> RevealOutcome {
        try await house.ingestion.reveals.learn(
            IncomingReveal(
                window: house.window(of: "product"), dimension: "query", most: 4, value: value, output: output))
    }

    @Test(
        "a crowd's hash is asked for, and the value with its output fits it; without, with another's or a guess it does not"
    )
    func fits() async throws {
        let house = try IngestionHouse(evaluator: Self.secret.publicKey)
        let pie = try Self.output("apple pie")
        #expect(try Self.send(try Self.hash("apple pie", pie, in: house), to: house))
        // No database is there: that it is asked says that the value was taken.
        #expect(try await Self.reveal("apple pie", pie, to: house) == .unavailable)
        let zeros = try #require(EvaluatedOutput(bytes: Array(repeating: 0, count: 32)))
        let strange = try Self.output("apple pie", by: EvaluatorSecret(seed: Array(repeating: 8, count: 32)))
        for output in [nil, zeros, strange, try Self.output("tart")] {
            #expect(try await Self.reveal("apple pie", output, to: house) == .notAsked)
        }
        #expect(try await Self.reveal("tart", try Self.output("tart"), to: house) == .notAsked)
        try house.end()
    }

    @Test("plain hashes of any crowd are noted by nobody; without evaluator they are, and evaluated ones are not")
    func plain() async throws {
        let house = try IngestionHouse(evaluator: Self.secret.publicKey)
        let plain = RevealedKey(of: "query", in: house.window(of: "product")).hash("apple pie").description
        #expect(try !Self.send(plain, to: house))
        #expect(try await Self.reveal("apple pie", nil, to: house) == .notAsked)
        try house.end()
        let control = try IngestionHouse()
        #expect(try Self.send(plain, to: control))
        #expect(try await Self.reveal("apple pie", nil, to: control) == .unavailable)
        let evaluated = try Self.hash("apple pie", Self.output("apple pie"), in: control)
        #expect(try !Self.send(evaluated, to: control))
        try control.end()
    }

    @Test("a forger who has not asked the evaluator joins nobody with any number of devices; who has asked, does")
    func forger() async throws {
        let house = try IngestionHouse(evaluator: Self.secret.publicKey)
        let real = try Self.hash("apple pie", Self.output("apple pie"), in: house)
        _ = try house.search(real, by: "somebody")
        let guess = try #require(EvaluatedOutput(bytes: Array(repeating: 1, count: 32)))
        let forged = try Self.hash("apple pie", guess, in: house)
        #expect(forged != real)
        // They are asked for what they have made up, and nothing of it is somebody's.
        #expect(try Self.send(forged, to: house, as: "forged"))
        #expect(try await Self.reveal("apple pie", try Self.output("apple pie"), to: house) == .notAsked)
        // The control.
        #expect(try Self.send(real, to: house, as: "forged"))
        #expect(try await Self.reveal("apple pie", try Self.output("apple pie"), to: house) == .unavailable)
        try house.end()
    }

    @Test("hashes by another key of the evaluator join nobody: after a change of keys values are learned anew")
    func rotated() async throws {
        let next = EvaluatorSecret(seed: Array(repeating: 9, count: 32))
        let house = try IngestionHouse(evaluator: next.publicKey)
        let old = try Self.output("apple pie")
        #expect(try Self.send(try Self.hash("apple pie", old, in: house), to: house))
        #expect(try await Self.reveal("apple pie", old, to: house) == .notAsked)
        let new = try Self.output("apple pie", by: next)
        #expect(try Self.send(try Self.hash("apple pie", new, in: house, key: next.publicKey), to: house))
        #expect(try await Self.reveal("apple pie", new, to: house) == .unavailable)
        try house.end()
    }

    @Test("a label counts by the hash of its output; one whose output is not known is asked for again")
    func labels() throws {
        let house = try IngestionHouse(evaluator: Self.secret.publicKey)
        let pie = try Self.output("apple pie")
        let hash = try Self.hash("apple pie", pie, in: house)
        let vocabulary = house.ingestion.intake.vocabulary
        vocabulary.set(["apple pie": 0, "b": 1, "c": 2, "d": 3], of: "query", app: "shop")
        // As after an evaluator was added: all slots have labels, and none an output.
        #expect(try Self.send(hash, to: house))
        vocabulary.set(
            ["apple pie": 0, "b": 1, "c": 2, "d": 3], outputs: ["apple pie": pie], of: "query", app: "shop")
        #expect(try !Self.send(hash, to: house))
        try house.end()
    }

    @Test("the body of a reveal has an output where the plan has an evaluator, and none is looked at where it has none")
    func bodies() throws {
        let house = try IngestionHouse(evaluator: Self.secret.publicKey)
        func read(_ more: String, in house: IngestionHouse) throws -> IncomingReveal? {
            let body = """
                {"app":"shop","purpose":"product","window":\(house.window.value),"dimension":"query","value":"pie"\(more)}
                """
            return try UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20).read {
                bytes throws(IntakeError) in
                try house.ingestion.intake.readReveal(bytes, signals: [], now: house.now)
            }
        }
        let pie = try Self.output("pie")
        #expect(try read(#","output":"\#(pie)""#, in: house)?.output == pie)
        for more in ["", #","output":"""#, #","output":"AAAA""#, #","output":7"#, #","output":"\#(pie)A""#] {
            #expect(throws: IntakeError.self, "\(more)") { try read(more, in: house) }
        }
        try house.end()
        let plain = try IngestionHouse()
        #expect(try read("", in: plain)?.value == "pie")
        #expect(try read(#","output":"\#(pie)""#, in: plain)?.output == nil)
        try plain.end()
    }
}
