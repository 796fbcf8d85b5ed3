import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("An app and its extension are one device")
struct SharingTests {
    private static func folder() throws -> URL {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("throng-shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }

    /// Two instances with one directory, a clock and a daemon.
    private struct Pair {
        let app: World
        let watch: World

        init(_ place: URL, isLawless: Bool = false, consents: Bool = true) async throws {
            func storage() throws -> any ClientStorage {
                isLawless ? try LawlessStorage(place) : try DirectoryStorage(place, isShared: true)
            }
            app = try await World(storage: storage(), consents: consents)
            watch = try await World(
                app.cook, storage: storage(), seed: 9, consents: false, clock: app.clock, daemon: app.daemon)
        }

        func close() async {
            await app.throng.close()
            await watch.throng.close()
        }

        /// Both record and send, one after the other.
        func cook() async {
            for _ in 1...4 {
                for each in [app, watch] {
                    each.throng.record("recipe_opened", ["category": "cake"])
                    each.throng.record("purchase", ["amount": 1])
                    _ = await each.throng.flush()
                }
            }
        }
    }

    @Test("what is a first is one for both, and bounds are those of one device", arguments: [false, true])
    func firsts(isLawless: Bool) async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place, isLawless: isLawless)
        await pair.cook()
        await pair.close()
        let daemon = pair.app.daemon
        let isOne =
            daemon.firsts.values.allSatisfy { $0 == 1 } && Set(daemon.batches.map(\.id)).count == 1
            && daemon.refusals.isEmpty && daemon.total("recipes") == 8 && daemon.total("purchases") == 5
        // Without turns, each goes by what it knows itself.
        #expect(isOne == !isLawless, "\(daemon.firsts.values) \(daemon.refusals) \(daemon.total("recipes"))")
        #expect(!daemon.firsts.isEmpty)
    }

    @Test("what one records, the other sends once", arguments: [false, true])
    func queue(isLawless: Bool) async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place, isLawless: isLawless)
        pair.app.throng.record("recipe_opened", ["category": "cake"])
        #expect(await pair.app.throng.save())
        #expect(await pair.watch.throng.status.waiting == (isLawless ? 0 : 1))
        #expect(await pair.watch.throng.flush().counted == (isLawless ? 0 : 1))
        #expect(await pair.app.throng.status.waiting == (isLawless ? 1 : 0))
        #expect(await pair.app.throng.sent.count == (isLawless ? 0 : 1))
        await pair.close()
    }

    @Test("who refuses in one has refused in the other, and what waits there is dropped", arguments: [false, true])
    func consent(isLawless: Bool) async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place, isLawless: isLawless)
        pair.watch.throng.record("recipe_opened", ["category": "cake"])
        #expect(await pair.watch.throng.save())
        try await pair.app.throng.setConsent(.denied, for: "product")
        #expect(await pair.watch.throng.consent(for: "product") == (isLawless ? .authorized : .denied))
        pair.watch.throng.record("recipe_opened", ["category": "roast"])
        #expect(await pair.watch.throng.flush().counted == (isLawless ? 2 : 0))
        #expect(pair.app.daemon.batches.isEmpty == !isLawless)
        try? await pair.watch.throng.setConsent(.authorized, for: "product")
        #expect(await pair.app.throng.consent(for: "product") == (isLawless ? .denied : .authorized))
        await pair.close()
    }

    @Test("whoever forgets in one is another device in both")
    func reset() async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place)
        await pair.cook()
        let before = Set(pair.app.daemon.batches.map(\.id))
        await pair.app.throng.reset()
        _ = await pair.app.throng.flush()
        #expect(await pair.watch.throng.sent.allSatisfy { !$0.body.contains("events") })
        await pair.cook()
        let after = Set(pair.app.daemon.batches.map(\.id)).subtracting(before)
        #expect(before.count == 1 && after.count == 1)
        await pair.close()
    }

    @Test("a newer plan that one has asked for is the other's, too")
    func plan() async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place)
        let newer = try CookPlan(CookPlan.yaml.replacing("[spring, autumn]", with: "[spring, autumn, winter]"))
        pair.app.daemon.publish(newer.document)
        #expect(await pair.app.throng.status.planVersion == pair.watch.throng.status.planVersion)
        let former = await pair.app.throng.status.planVersion
        #expect(await pair.app.throng.refreshPlan())
        let version = await pair.watch.throng.status.planVersion
        #expect(version != former)
        #expect(await pair.app.throng.status.planVersion == version)
        await pair.close()
    }

    @Test("while one waits for an answer, the other neither waits nor sends the same batch")
    func lease() async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let pair = try await Pair(place)
        pair.app.throng.record("recipe_opened", ["category": "cake"])
        #expect(await pair.app.throng.save())
        let slow = SlowLine(pair.app.line)
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: pair.app.cook.document)
        options.sendsByItself = false
        let third = try await Throng(
            plan: try #require(CookPlan.url), storage: DirectoryStorage(place, isShared: true), transport: slow,
            clock: pair.app.clock, options: options)
        let flush = Task { await third.flush() }
        await slow.hasBegun()
        #expect(await pair.watch.throng.flush().counted == 0)
        #expect(await pair.watch.throng.status.unanswered == 1)
        #expect(pair.app.daemon.batches.isEmpty)
        // If it never comes back, the batch goes on after a while.
        pair.app.clock.advance(61)
        #expect(await pair.watch.throng.flush().counted == 1)
        // Back then, with bad news: that it was not sent here does not bring the events back.
        slow.goOn(.notSent)
        _ = await flush.value
        #expect(await third.status.waiting == 0)
        _ = await third.flush()
        #expect(pair.app.daemon.total("recipes") == 1)
        await third.close()
        await pair.close()
    }

    @Test("a directory of one process can't be shared, and nobody waits for it for ever")
    func mixed() async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let shared = try DirectoryStorage(place, isShared: true)
        #expect(throws: ThrongError.self) { try shared.replace("a.json", with: Data()) }
        let alone = try DirectoryStorage(place)
        // That it is refused while the other one holds it is the end of the wait. On a thread of its own: other tests need
        // those of the pool.
        let isRefused = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do throws(any Error) {
                    _ = try shared.beginTurn()
                    continuation.resume(returning: false)
                } catch {
                    continuation.resume(returning: true)
                }
            }
        }
        #expect(isRefused)
        alone.close()
        #expect(try shared.beginTurn())
        try shared.replace("a.json", with: Data("1".utf8))
        shared.endTurn()
        #expect(try shared.beginTurn() == false)
        shared.endTurn()
    }
}

/// A line on which the first batch takes as long as the test wants.
private final class SlowLine: ClientTransport {
    private let inner: Line
    private let began = AsyncStream.makeStream(of: Void.self)
    private let end = AsyncStream.makeStream(of: TransportFailure.self)

    init(_ inner: Line) { self.inner = inner }

    func hasBegun() async { for await _ in began.stream { return } }
    func goOn(_ failure: TransportFailure) { end.continuation.yield(failure) }

    func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        guard request.url.path.hasSuffix("/v1/batches") else { return try await inner.send(request) }
        began.continuation.yield()
        for await failure in end.stream { throw failure }
        throw .unanswered
    }
}
