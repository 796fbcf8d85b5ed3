import Foundation
import Synchronization
import Testing
import ThrongClient
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("A value of an open vocabulary stays in the device's memory until enough devices have its hash")
struct RevealingTests {
    /// Monday noon, in seconds.
    private static let noon = UnixSeconds(1_794_787_200 + 12 * 3600)
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: To see., consent: required, rotation: 1 hour, retention: 30 days}
        dimensions:
          query: {title: Query, field: query, revealed: {most: 30}}
          page: {title: Page, field: page, list: [home, list]}
        metrics:
          searches: {title: S, events: [search], dimensions: [query], METRIC}
          pages: {title: P, events: [search], dimensions: [page, query], METRIC}
        """.replacing(
            "METRIC",
            with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: day")

    /// Takes requests down and answers what it is told to.
    private final class Wire: ClientTransport {
        private let state: Mutex<(batches: [String], reveals: [String], isReachable: Bool)>
        private let probability: Double
        /// What the daemon answers when it is asked for its plan.
        let plan = Mutex(ClientResponse(status: 404))

        init(probability: Double) {
            self.probability = probability
            state = Mutex(([], [], true))
        }

        var batches: [String] { state.withLock { $0.batches } }
        var reveals: [String] { state.withLock { $0.reveals } }
        func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

        func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
            let isReachable = state.withLock { $0.isReachable }
            guard isReachable else { throw .notSent }
            if request.method == "GET" { return plan.withLock { $0 } }
            let body = RevealingTests.text(request)
            if request.url.path == "/v1/reveals" {
                state.withLock { $0.reveals.append(body) }
                return ClientResponse(status: 202, body: Data("{}".utf8))
            }
            state.withLock { $0.batches.append(body) }
            // It asks for every hash, and for one that nobody sent.
            let hashes =
                body.matches(of: /#[0-9a-f]{32}/).map { String($0.output) } + ["#\(String(repeating: "0", count: 32))"]
            let requests = hashes.map { #"{"dimension":"query","hash":"\#($0)","probability":\#(probability)}"# }
            return ClientResponse(
                status: 202,
                body: Data(#"{"accepted":1,"refused":[],"reveal":[\#(requests.joined(separator: ","))]}"#.utf8))
        }
    }

    private static func text(_ request: ClientRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    private final class Clock: ClientClock {
        private let now = Mutex(RevealingTests.noon.value)
        var unixSeconds: Int64 { now.withLock { $0 } }
        func move(_ seconds: Int64) { now.withLock { $0 += seconds } }
        func sleep(seconds: Double) async throws {}
    }

    private let wire: Wire
    private let clock = Clock()
    private let storage = MemoryStorage()

    init() { wire = Wire(probability: 1) }

    private func device(_ wire: Wire? = nil, consent: Consent = .authorized) async throws -> Throng {
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_773))
        var options = ThrongOptions(bundledPlan: try plan.publicDocument())
        options.sendsByItself = false
        options.gap = 0
        let url = try #require(URL(string: "https://throng.example/v1/plan/shop"))
        let throng = try await Throng(
            plan: url, storage: storage, transport: wire ?? self.wire, clock: clock, options: options)
        try await throng.setConsent(consent, for: "product")
        return throng
    }

    private func hash(_ value: BucketLabel) -> String {
        let window = WindowID(
            app: "shop", purpose: "product", rotation: Rotation(seconds: 3600),
            number: WindowNumber(clock.unixSeconds / 3600))
        return RevealedKey(of: "query", in: window).hash(value).description
    }

    /// Everything that is on disk, as text.
    private func disk() -> String {
        ["memory.json", "plan.json", "sent-0.json", "sent-1.json", "sent-2.json"].map { "shop-\($0)" }.map { name in
            String(decoding: storage.read(name) ?? Data(), as: UTF8.self)
        }.joined()
    }

    @Test("what waits is on disk as a token, what leaves is the daemon's hash of the window; neither is the value")
    func recording() async throws {
        let throng = try await device(Wire(probability: 0))
        throng.record("search", ["query": "apple pie", "page": "home"])
        await throng.save()
        #expect(disk().contains("home"))
        #expect(!disk().contains("apple"))
        #expect(!disk().contains(hash("apple pie")))
        let wire = Wire(probability: 0)
        let other = try await device(wire)
        other.record("search", ["query": " apple pie "])
        _ = await other.flush()
        // What the first process left is lost to the second, and counts as other.
        #expect(wire.batches.count == 1)
        #expect(wire.batches[0].matches(of: /#[0-9a-f]{32}/).map { String($0.output) } == [hash("apple pie")])
        #expect(wire.batches[0].contains("home"))
        #expect(wire.reveals.isEmpty)
        #expect(!disk().contains("apple"))
    }

    @Test("what looks personal, or can't name a bucket, leaves no device, not even as a hash")
    func unfit() async throws {
        let throng = try await device()
        for value in ["ada@example.com", "0660 123 45 67", "=1+1", "", "other", "#0123456789abcdef0123456789abcdef"] {
            throng.record("search", ["query": value])
        }
        throng.record("search", ["query": 7])
        _ = await throng.flush()
        #expect(wire.batches.count == 1)
        #expect(!wire.batches[0].contains("query"))
        #expect(wire.batches[0].contains(#""count":7"#))
        #expect(wire.reveals.isEmpty)
    }

    @Test("asked, it says the value without an identifier, once, and the log has it as it was sent")
    func revealing() async throws {
        let throng = try await device()
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        let window = clock.unixSeconds / 3600
        let body =
            #"{"app":"shop","dimension":"query","purpose":"product","value":"apple pie","window":\#(window)}"#
        #expect(wire.batches.count == 2)
        #expect(wire.reveals == [body])
        let sent = await throng.sent
        #expect(sent.map(\.body).contains(body))
        #expect(sent.count == 3)
        #expect(sent.first { $0.body == body }?.outcome == .counted(events: 0, refused: [:]))
    }

    @Test("with the probability that the daemon names, few of many devices answer")
    func probability() async throws {
        var answers = 0
        for _ in 0..<400 {
            let wire = Wire(probability: 0.15)
            let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_773))
            var options = ThrongOptions(bundledPlan: try plan.publicDocument())
            options.sendsByItself = false
            options.gap = 0
            let url = try #require(URL(string: "https://throng.example/v1/plan/shop"))
            let throng = try await Throng(
                plan: url, storage: MemoryStorage(), transport: wire, clock: clock, options: options)
            try await throng.setConsent(.authorized, for: "product")
            throng.record("search", ["query": "apple pie"])
            _ = await throng.flush()
            answers += wire.reveals.count
        }
        // 60 are expected; six standard deviations on either side.
        #expect((17...103).contains(answers))
    }

    @Test("an event that waited offline travels with the hash of the window in which it is sent")
    func offline() async throws {
        let throng = try await device()
        wire.setReachable(false)
        throng.record("search", ["query": "apple pie"])
        let early = hash("apple pie")
        _ = await throng.flush()
        clock.move(5 * 3600)
        wire.setReachable(true)
        _ = await throng.flush()
        #expect(wire.batches.count == 1)
        #expect(wire.batches[0].contains(hash("apple pie")))
        #expect(!wire.batches[0].contains(early))
        #expect(wire.reveals.count == 1)
    }

    @Test("a clock that is wrong reveals under the daemon's time, and forgets nothing too early")
    func wrongClock() async throws {
        let throng = try await device()
        // By the daemon's clock the device is five days ahead.
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_773))
        let date = ["Date": "Wed, 11 Nov 2026 12:00:00 GMT"]
        let answer = ClientResponse(status: 200, headers: date, body: try plan.publicDocument())
        wire.plan.withLock { $0 = answer }
        #expect(await throng.refreshPlan())
        throng.record("search", ["query": "apple pie"])
        _ = await throng.flush()
        #expect(wire.reveals.count == 1)
        #expect(await throng.sent.allSatisfy { $0.unixSeconds == Self.noon.value - 5 * 86_400 })
    }

    @Test("after a withdrawal or a reset nothing is revealed any more")
    func withdrawal() async throws {
        let throng = try await device()
        throng.record("search", ["query": "apple pie"])
        try await throng.setConsent(.denied, for: "product")
        _ = await throng.flush()
        #expect(wire.batches.isEmpty)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("search", ["query": "tart"])
        await throng.save()
        await throng.reset()
        _ = await throng.flush()
        #expect(wire.batches.isEmpty)
        #expect(wire.reveals.isEmpty)
    }

    @Test("a preview says other, because a device can't know what the daemon has learned")
    func preview() async throws {
        let preview = await (try device()).preview("search", ["query": "apple pie", "page": "list"])
        #expect(preview.counted.map(\.buckets) == [["query": "other"], ["page": "list", "query": "other"]])
    }
}
