import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

@Suite("Processes that share a directory count each event once, and are one device", .serialized)
struct SharedProcessTests {
    private static func folder() throws -> URL {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("throng-two-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }

    /// A process that can be killed.
    private final class Child {
        private let process = Process()
        private let output = Pipe()

        init(_ arguments: [String]) throws {
            process.executableURL = Bundle.main.bundleURL.appendingPathComponent("Probe")
            process.arguments = ["client"] + arguments
            process.standardOutput = output
            try process.run()
        }

        /// Ends it as a crash does.
        ///
        /// - Returns: the whole lines that it wrote.
        func kill() -> [String] {
            Foundation.kill(process.processIdentifier, SIGKILL)
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }

        /// Ends it as a crash does, so much later, on a thread of its own: other tests may have those of the pool.
        ///
        /// - Returns: what knows when that was.
        func kill(after seconds: TimeInterval) -> Death {
            let (id, death) = (process.processIdentifier, Death())
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                death.moment.withLock { $0 = ContinuousClock.now }
                Foundation.kill(id, SIGKILL)
            }
            return death
        }

        /// When a process was killed.
        final class Death: Sendable {
            let moment = Mutex<ContinuousClock.Instant?>(nil)
        }

        /// Waits for what it writes first.
        func begins() -> Bool { !output.fileHandleForReading.availableData.isEmpty }
    }

    /// What became of events.
    private struct Outcome {
        var saved: Set<Int> = []
        /// How many processes have saved something.
        var savers = 0
        var counted: [Int: Int] = [:]
        /// Identifiers by window.
        var ids: [Int64: Set<String>] = [:]

        var batches = 0
        /// Posts that are no batch.
        var unread = 0
        var lost: Set<Int> { saved.filter { counted[$0] == nil } }
        var doubled: [Int] { counted.filter { $0.value > 1 }.keys.sorted() }
    }

    /// Two processes record and send at the same time, and one of them is killed over and over again.
    ///
    /// On a slow machine most are killed before they have saved anything: then more come, and each lives longer.
    ///
    /// - Parameter isEnough: whether what was saved and sent in so many rounds will do.
    private static func run(
        _ company: DoomedCook.Company, rounds: Int, until isEnough: (Outcome) -> Bool
    ) async throws -> Outcome {
        let place = try folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let received = place.appendingPathComponent("received").path
        let storage = place.appendingPathComponent("storage")
        var outcome = Outcome()
        let start = SystemClock().unixSeconds
        var number = 0
        func child() throws -> Child {
            number += 1
            return try Child([
                "cook", storage.path, received, String((number - 1) * DoomedCook.most + 1), "--company",
                company.rawValue, "--since", String(start),
            ])
        }
        func take(_ lines: [String]) {
            outcome.saved.formUnion(lines.compactMap { Int($0) })
            outcome.savers += lines.isEmpty ? 0 : 1
            // A batch that is sent again is the same line.
            let sent = FileManager.default.contents(atPath: received)?.split(separator: 0x0a) ?? []
            outcome.batches = Set(sent).count
        }
        var random = RandomSource.seeded(23)
        var children = [try child(), try child()]
        var round = 0
        while round < rounds || !isEnough(outcome), round < rounds + 40 {
            let life = Int.random(in: 200...500, using: &random) * max(1, round - rounds + 2)
            try await Task.sleep(for: .milliseconds(life))
            take(children[round % 2].kill())
            children[round % 2] = try child()
            round += 1
        }
        for each in children { take(each.kill()) }
        // A last start, whose requests all arrive.
        var options = ThrongOptions(bundledPlan: try CookPlan(CookPlan.unbounded).document)
        options.sendsByItself = false
        options.gap = 0
        options.queueLimit = 100_000
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: DirectoryStorage(storage), transport: LetterBox(path: received),
            clock: HurriedClock(since: start), options: options)
        while await throng.flush().waiting > 0 {}
        await throng.close()
        // As the daemon does: a batch counts once.
        var batches: [String: Batch] = [:]
        for line in try Data(contentsOf: URL(fileURLWithPath: received)).split(separator: 0x0a) {
            let batch: Batch
            do { batch = try JSONDecoder().decode(Batch.self, from: line) } catch {
                // Without turns what is posted may be no batch any more.
                guard company == .lawless else { throw error }
                outcome.unread += 1
                continue
            }
            #expect(batches[batch.batch] == nil || batches[batch.batch] == batch)
            batches[batch.batch] = batch
        }
        outcome.batches = batches.count
        for batch in batches.values {
            outcome.ids[batch.window, default: []].insert(try #require(batch.id))
            for event in batch.events {
                let fields = batch.context.merging(event.fields ?? [:]) { _, own in own }
                let number =
                    switch fields["amount"] {
                    case .number(let amount): Int((amount * 100).rounded())
                    case .integer(let amount): Int(amount) * 100
                    default: -1
                    }
                outcome.counted[number, default: 0] += event.count ?? 1
            }
        }
        return outcome
    }

    @Test("two processes with turns, one of which is killed again and again: nothing lost, nothing twice, one device")
    func turns() async throws {
        let outcome = try await Self.run(.turns, rounds: 16) { $0.saved.count > 100 && $0.batches > 10 }
        #expect(outcome.saved.count > 100 && outcome.batches > 10, "\(outcome.saved.count) in \(outcome.batches)")
        #expect(outcome.lost == [] && outcome.doubled == [])
        #expect(!outcome.ids.isEmpty && outcome.ids.values.allSatisfy { $0.count == 1 }, "\(outcome.ids)")
    }

    @Test("without turns they lose and double each other's events: what the lock is for")
    func lawless() async throws {
        let outcome = try await Self.run(.lawless, rounds: 4) { $0.saved.count > 20 && $0.savers > 2 }
        #expect(outcome.saved.count > 20)
        #expect(!outcome.lost.isEmpty || !outcome.doubled.isEmpty || outcome.unread > 0)
    }

    @Test("who is killed in the middle of a turn leaves the directory to the others")
    func killedInTurn() async throws {
        let place = try Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let world = try await World(storage: DirectoryStorage(place, isShared: true))
        let holder = try Child(["hold", place.path])
        #expect(holder.begins())
        world.throng.record("recipe_opened", ["category": "cake"])
        let death = holder.kill(after: 0.7)
        let isSaved = await world.throng.save()
        let saved = ContinuousClock.now
        let killed = try #require(death.moment.withLock { $0 }, "it waited for its turn")
        #expect(isSaved && saved >= killed)
        _ = holder.kill()
        #expect(await world.throng.flush().counted == 1)
        await world.throng.close()
    }
}
