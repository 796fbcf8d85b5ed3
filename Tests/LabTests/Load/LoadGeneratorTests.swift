import Histogram
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing
import ThrongLoad
import ThrongPlan
import throng_lab

@Suite("A load charges the server with what it kept waiting", .serialized)
struct LoadGeneratorTests {
    /// When a server stands still, counted from the first request that it sees.
    ///
    /// Unchecked: confined to the server's one event loop.
    private final class Pause: @unchecked Sendable {
        private let from: Duration
        private let to: Duration
        private var first: NIODeadline?

        init(from: Duration, to: Duration) {
            self.from = from
            self.to = to
        }

        /// Until when a request that comes now has to wait; nil outside the pause.
        func end(for now: NIODeadline) -> NIODeadline? {
            let start = first ?? now
            first = start
            let end = start + TimeAmount(to)
            return now >= start + TimeAmount(from) && now < end ? end : nil
        }
    }

    /// Answers at once, but stands still for a while, as a server does in a long pause.
    private final class Answerer: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let status: HTTPResponseStatus
        private let pause: Pause?

        init(status: HTTPResponseStatus, pause: Pause?) {
            self.status = status
            self.pause = pause
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            if let end = pause?.end(for: .now()) {
                let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(deadline: end) { self.answer(bound.value) }
            } else {
                answer(context)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            let body = ByteBuffer(string: "{\"accepted\":1,\"refused\":[]}")
            let head = HTTPResponseHead(
                version: .http1_1, status: status, headers: ["content-length": "\(body.readableBytes)"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private static let plan = """
        app: {name: load, title: Load, owner: Test, contact: a@example.com, audience: 1000000, threshold: 20}
        purposes:
          product: {explanation: To test the load., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          channel: {title: Channel, field: channel, list: {Mail: [mail], Search: [search], Friends: [friends]}}
        metrics:
          views: {title: T, events: [home], question: Q, decision: D, owner: O, expires: 2027-06-01, purpose: product,
            dimensions: [channel], period: day, contribution_bound: 1000, measures: {reach: true}}
        """

    private func tally(
        _ pace: LoadGenerator.Pace, status: HTTPResponseStatus = .accepted,
        pause: Pause? = nil, lasting duration: Duration = .seconds(2)
    ) async throws -> LoadTally {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answerer(status: status, pause: pause))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let batches = try PreparedBatches(
            plan: try Plan(yaml: Self.plan, file: "load.yaml"),
            shape: PreparedBatches.Shape(events: 1, bodies: 10), now: UnixSeconds(1_795_000_000))
        let generator = LoadGenerator(
            host: "127.0.0.1", port: server.localAddress?.port ?? 0, batches: batches,
            options: LoadGenerator.Options(
                connections: 4, warmUp: .zero, duration: duration, patience: .seconds(10)))
        let tally = try await generator.run(pace)
        try await server.close()
        try await group.shutdownGracefully()
        return tally
    }

    @Test("a pause of half a second in two shows in a quarter of the times, although few requests were under way")
    func openLoop() async throws {
        let tally = try await tally(
            .rate(500, .even), pause: Pause(from: .milliseconds(700), to: .milliseconds(1200)))
        #expect(tally.requests == 1000)
        #expect(tally.statuses == [202: 1000])
        #expect(tally.latency.totalCount == 1000)
        // About 250 requests came due in the pause; half of them waited for more than a quarter of a second.
        #expect(tally.latency.valueAtPercentile(95) > 250_000_000)
        #expect(tally.latency.max > 400_000_000)
        #expect(tally.waited > 100)
    }

    @Test("each answer brings on the next request where no rate is asked for, and the pause shows in a few times only")
    func closedLoop() async throws {
        let tally = try await tally(
            .asFastAsAnswered, pause: Pause(from: .milliseconds(700), to: .milliseconds(1200)))
        #expect(tally.statuses[202] ?? 0 > 200)
        #expect(tally.latency.valueAtPercentile(95) < 250_000_000)
        #expect(tally.failed == 0)
    }

    @Test("answers other than 202 are failures and no part of the rate")
    func failures() async throws {
        let tally = try await tally(.rate(200, .poisson), status: .serviceUnavailable, lasting: .milliseconds(500))
        #expect(tally.requests > 0)
        #expect(tally.failed == tally.requests)
        #expect(tally.statuses.keys.sorted() == [503])
        #expect(tally.rate == 0)
        #expect(tally.sentEvents == 0)
    }

    @Test("events that were not accepted are told apart from failures")
    func refusedEvents() async throws {
        let tally = try await tally(.rate(200, .even), lasting: .milliseconds(500))
        #expect(tally.requests == 100)
        #expect(tally.refusedEvents == 0)
        #expect(tally.acceptedEvents == tally.requests)
    }

    @Test("an address at which nothing listens is an error that names it")
    func nobody() async throws {
        let batches = try PreparedBatches(
            plan: try Plan(yaml: Self.plan, file: "load.yaml"),
            shape: PreparedBatches.Shape(events: 1, bodies: 1), now: UnixSeconds(1_795_000_000))
        // Port 1 needs rights that a test has no use for.
        let generator = LoadGenerator(host: "127.0.0.1", port: 1, batches: batches)
        await #expect(throws: LoadError.self) { _ = try await generator.run(.asFastAsAnswered) }
    }
}
