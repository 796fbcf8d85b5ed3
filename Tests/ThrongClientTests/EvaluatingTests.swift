import Foundation
import Synchronization
import Testing
import ThrongAttestation
import ThrongClient
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Where the plan names an evaluator, no hash leaves that can be guessed without asking it")
struct EvaluatingTests {
    private static let noon = UnixSeconds(1_794_787_200 + 12 * 3600)
    private static let evaluator = EvaluatorSecret(seed: Array(repeating: 7, count: 32))
    private static let stranger = EvaluatorSecret(seed: Array(repeating: 8, count: 32))

    /// How the evaluator behaves.
    private enum Manner: CaseIterable, Sendable {
        case honest, down, silent, busy, otherKey, changed, short, empty, replays
    }

    /// An evaluator and a daemon that asks for every value.
    private final class Wire: ClientTransport {
        struct State {
            var manner = Manner.honest
            var evaluations: [[UInt8]] = []
            var answers: [[UInt8]] = []
            var batches: [String] = []
            var reveals: [String] = []
            var all = Data()
        }
        let state = Mutex(State())

        var batches: [String] { state.withLock { $0.batches } }
        var reveals: [String] { state.withLock { $0.reveals } }
        var evaluations: [[UInt8]] { state.withLock { $0.evaluations } }
        func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

        func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
            state.withLock { $0.all += request.body }
            if request.url.path == "/v1/evaluations" { return try evaluate(Array(request.body)) }
            guard request.method == "POST" else { return ClientResponse(status: 404) }
            let body = String(decoding: request.body, as: UTF8.self)
            if request.url.path == "/v1/reveals" {
                state.withLock { $0.reveals.append(body) }
                return ClientResponse(status: 202, body: Data("{}".utf8))
            }
            state.withLock { $0.batches.append(body) }
            let requests = EvaluatingTests.hashes(body).map {
                #"{"dimension":"query","hash":"\#($0)","probability":1}"#
            }
            return ClientResponse(
                status: 202,
                body: Data(#"{"accepted":1,"refused":[],"reveal":[\#(requests.joined(separator: ","))]}"#.utf8))
        }

        private func evaluate(_ request: [UInt8]) throws(TransportFailure) -> ClientResponse {
            let (manner, first) = state.withLock { state in
                state.evaluations.append(request)
                return (state.manner, state.answers.first)
            }
            var answer: [UInt8]
            let other: [UInt8]
            do {
                answer = try EvaluatingTests.evaluator.evaluate(request)
                other = try EvaluatingTests.stranger.evaluate(request)
            } catch {
                return ClientResponse(status: 400)
            }
            switch manner {
            case .honest: break
            case .down: throw .notSent
            case .silent: throw .unanswered
            case .busy: return ClientResponse(status: 429, headers: ["Retry-After": "60"])
            case .otherKey: answer = other
            case .changed: answer[answer.count - 1] ^= 1
            case .short: answer.removeLast()
            case .empty: answer = []
            case .replays: answer = first ?? other
            }
            state.withLock { $0.answers.append(answer) }
            return ClientResponse(status: 200, body: Data(answer))
        }
    }

    private final class Clock: ClientClock {
        private let now = Mutex(EvaluatingTests.noon.value)
        var unixSeconds: Int64 { now.withLock { $0 } }
        func move(_ seconds: Int64) { now.withLock { $0 += seconds } }
        func sleep(seconds: Double) async throws {}
    }

    private let wire = Wire()
    private let clock = Clock()

    private static func hashes(_ body: String) -> [String] {
        body.matches(of: /#+[0-9a-f]{32}/).map { String($0.output) }
    }

    private func device(
        evaluated: Bool = true, blinding: (any ValueBlinding)? = ValueBlinder(), evaluatorKey: String? = nil
    ) async throws -> Throng {
        let evaluator =
            evaluated
            ? ", evaluator: {url: 'https://eval.example', key: \(Self.evaluator.publicKey)}" : ""
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: T, contact: a@example.com, audience: 1000\(evaluator)}
                purposes:
                  product: {explanation: To see., consent: required, rotation: 1 hour, retention: 30 days}
                dimensions:
                  query: {title: Query, field: query, revealed: {most: 30}}
                metrics:
                  searches: {title: S, events: [search], dimensions: [query], question: What?, decision: That., owner: T,
                    expires: 2027-10-31, purpose: product, period: day, contribution_bound: 50}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_773))
        var options = ThrongOptions(bundledPlan: try plan.publicDocument())
        options.sendsByItself = false
        options.gap = 0
        options.blinding = blinding
        options.evaluatorKey = evaluatorKey
        let url = try #require(URL(string: "https://throng.example/v1/plan/shop"))
        let throng = try await Throng(
            plan: url, storage: MemoryStorage(), transport: wire, clock: clock, options: options)
        try await throng.setConsent(.authorized, for: "product")
        return throng
    }

    private var window: WindowID {
        WindowID(
            app: "shop", purpose: "product", rotation: Rotation(seconds: 3600),
            number: WindowNumber(clock.unixSeconds / 3600))
    }

    private func output(_ value: BucketLabel, by secret: EvaluatorSecret) throws -> EvaluatedOutput {
        let blinded = try ValueBlinder().blind(
            [EvaluatedOutput.input(of: value, dimension: "query", app: "shop")], for: secret.publicKey)
        return try #require(try blinded.outputs(of: secret.evaluate(blinded.request)).first)
    }

    private func hash(_ value: BucketLabel, _ output: EvaluatedOutput) throws -> String {
        let key = RevealedKey(of: "query", in: window, evaluator: Self.evaluator.publicKey)
        return try #require(key.hash(value, output: output)).description
    }

    @Test("what leaves is the daemon's evaluated hash, and with the value goes what lets the daemon make it again")
    func honest() async throws {
        let throng = try await device()
        throng.record("search", ["query": "apple pie"])
        throng.record("search", ["query": "tart"])
        _ = await throng.flush()
        let pie = try output("apple pie", by: Self.evaluator)
        #expect(wire.batches.count == 1)
        let expected = [try hash("apple pie", pie), try hash("tart", output("tart", by: Self.evaluator))]
        #expect(Set(Self.hashes(wire.batches[0])) == Set(expected))
        #expect(wire.evaluations.map(\.count) == [4 * 33])
        #expect(wire.reveals.count == 2)
        let reveal = try #require(wire.reveals.first { $0.contains("apple pie") })
        #expect(try JSONDecoder().decode(Reveal.self, from: Data(reveal.utf8)).output == pie)
        await throng.close()
    }

    @Test("a value is evaluated once as long as it is known, and two windows' hashes of it have nothing in common")
    func once() async throws {
        let throng = try await device()
        for _ in 0..<3 {
            throng.record("search", ["query": "apple pie"])
            _ = await throng.flush()
        }
        #expect(wire.evaluations.count == 1)
        clock.move(3600)
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        #expect(wire.batches.count == 4)
        #expect(Set(wire.batches.flatMap(Self.hashes)).count == 2)
        await throng.close()
    }

    @Test("many values go in full requests; the evaluator sees how many of these, and points")
    func many() async throws {
        let throng = try await device()
        for number in 0..<21 { throng.record("search", ["query": "word \(UnicodeScalar(UInt8(97 + number)))"]) }
        _ = await throng.flush()
        #expect(wire.evaluations.map(\.count) == [16 * 33, 16 * 33])
        #expect(Set(Self.hashes(wire.batches[0])).count == 21)
        await throng.close()
    }

    @Test(
        "a wrong key, a wrong proof, no answer or another's: nothing of the value leaves, and its event counts as other"
    )
    func refusing() async throws {
        for manner in Manner.allCases where manner != .honest {
            let wire = self.wire
            wire.state.withLock { $0 = .init() }
            let throng = try await device()
            if manner == .replays {
                throng.record("search", ["query": "tart"])
                _ = await throng.flush()
                wire.state.withLock { $0.batches = [] }
            }
            wire.behave(manner)
            throng.record("search", ["query": "apple pie"])
            let result = await throng.flush()
            #expect(result.counted == 1 && result.problem == nil, "\(manner)")
            #expect(wire.batches.count == 1 && Self.hashes(wire.batches[0]).isEmpty, "\(manner)")
            #expect(wire.reveals.allSatisfy { !$0.contains("apple") }, "\(manner)")
            let everything = String(decoding: wire.state.withLock { $0.all }, as: UTF8.self)
            #expect(!everything.contains("apple"), "\(manner)")
            // It is left alone for a while, and then asked again.
            let asked = wire.evaluations.count
            wire.behave(.honest)
            throng.record("search", ["query": "apple pie"])
            _ = await throng.flush()
            #expect(wire.evaluations.count == asked && Self.hashes(wire.batches[1]).isEmpty, "\(manner)")
            clock.move(301)
            throng.record("search", ["query": "apple pie"])
            _ = await throng.flush()
            #expect(wire.evaluations.count == asked + 1 && Self.hashes(wire.batches[2]).count == 1, "\(manner)")
            await throng.close()
        }
    }

    @Test("without what blinds values nothing of them leaves, not even as the hash that a plan without evaluator takes")
    func unblinded() async throws {
        let throng = try await device(blinding: nil)
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        #expect(wire.batches.count == 1 && Self.hashes(wire.batches[0]).isEmpty && wire.evaluations.isEmpty)
        await throng.close()
        // The control.
        let plain = try await device(evaluated: false, blinding: nil)
        plain.record("search", ["query": "apple pie"])
        _ = await plain.flush()
        #expect(Self.hashes(wire.batches[1]) == [RevealedKey(of: "query", in: window).hash("apple pie").description])
        await plain.close()
    }

    @Test("an app that knows its evaluator believes no plan that names another one, or none any more")
    func known() async throws {
        let own = Self.evaluator.publicKey.description
        for (key, isEvaluated) in [
            (Self.stranger.publicKey.description, true), ("", true), (own + "=", true), (own, false),
        ] {
            wire.state.withLock { $0 = .init() }
            let throng = try await device(evaluated: isEvaluated, evaluatorKey: key)
            throng.record("search", ["query": "apple pie"])
            let result = await throng.flush()
            #expect(result.counted == 1 && wire.batches.count == 1)
            #expect(Self.hashes(wire.batches[0]).isEmpty && wire.evaluations.isEmpty && wire.reveals.isEmpty)
            await throng.close()
        }
        wire.state.withLock { $0 = .init() }
        let throng = try await device(evaluatorKey: own)
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        #expect(Self.hashes(wire.batches[0]).count == 1 && wire.evaluations.count == 1)
        await throng.close()
    }

    /// What whoever has all that ever came to a daemon finds with a dictionary: every construction that devices use, with every
    /// output that they can make without the evaluator.
    private func guessed(_ sent: Set<String>, with dictionary: [BucketLabel], known: [EvaluatedOutput]) -> [BucketLabel]
    {
        let plain = RevealedKey(of: "query", in: window)
        let evaluated = RevealedKey(of: "query", in: window, evaluator: Self.evaluator.publicKey)
        return dictionary.filter { word in
            if sent.contains(plain.hash(word).description) { return true }
            return known.contains { output in
                evaluated.hash(word, output: output).map { sent.contains($0.description) } == true
            }
        }
    }

    @Test("a dictionary of ten thousand words with the value in it finds nothing; without evaluator it finds the value")
    func dictionary() async throws {
        let dictionary = (0..<10_000).map { BucketLabel("word \($0 % 100) of \($0 / 100)") }
        let secret = dictionary[4711]
        for isEvaluated in [true, false] {
            wire.state.withLock { $0 = .init() }
            let throng = try await device(evaluated: isEvaluated)
            for value in [secret, "tart"] { throng.record("search", ["query": value.text]) }
            _ = await throng.flush()
            let sent = Set(wire.batches.flatMap(Self.hashes))
            #expect(sent.count == 2)
            // Outputs of labels that were learned, of which this daemon has one, and one that it made up.
            let zeros = try #require(EvaluatedOutput(bytes: Array(repeating: 0, count: 32)))
            let known = [try output("tart", by: Self.evaluator), try output(secret, by: Self.stranger), zeros]
            #expect(guessed(sent, with: dictionary, known: known) == (isEvaluated ? [] : [secret]))
            // The control of the search itself: whoever asks the evaluator finds it.
            if isEvaluated {
                let asked = try output(secret, by: Self.evaluator)
                #expect(guessed(sent, with: dictionary, known: [asked]) == [secret])
            }
            await throng.close()
        }
    }
}
