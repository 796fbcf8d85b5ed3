import ArgumentParser
import CAllocationCount
import Foundation
import ThrongIngest
import ThrongJournal
import ThrongLoad
import ThrongPlan

/// Writes a journal of one open window as a daemon would have, with its checkpoints, into an empty data directory.
struct WindowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "Makes a data directory with one open window and a checkpoint of it.")

    @OptionGroup var workbench: Workbench
    @OptionGroup var crowd: WindowCrowd

    @Option(help: "Batches in the journal.")
    var batches: UInt64 = 10_000_000

    @Option(help: "Batches a second that a daemon would have got, by which checkpoints are due.")
    var rate: UInt64 = 10_000

    @Argument(help: "The data directory.")
    var path: String

    func run() throws {
        let world = try workbench.world()
        let crowd = try self.crowd.made(world)
        let (data, keys, journal) = try world.journal(in: path)
        let key = try keys.key(of: crowd.window)
        var counting = world.counting()
        var writer = CheckpointClerk(data: data, keys: keys, journal: journal)
        let started = ContinuousClock.now
        for number in 0..<batches {
            while !journal.hasRoom { Thread.sleep(forTimeInterval: 0.001) }
            let (batch, identifier) = crowd.batch(number)
            try journal.append(try world.count(batch, identifier: identifier, in: &counting), key: key)
            guard number % 50_000 == 49_999 else { continue }
            if let flush = counting.freeze() { counting.applied(flush, closed: []) }
            let now = Duration.seconds(1) * (Double(number) / Double(rate))
            if writer.isDue(now) { try writer.write(space: world.space, now: now) { walk in counting.step(&walk) } }
        }
        let took = ContinuousClock.now - started
        journal.stop()
        let line: [String: Any] = [
            "batches": batches, "identifiers": min(batches, self.crowd.identifiers), "pairs": counting.openPairs,
            "journalBytes": journal.bytes, "seconds": took / .seconds(1), "checkpoints": writer.count,
            "checkpointBytes": writer.bytes, "writtenBytes": writer.writtenBytes,
            "checkpointSeconds": writer.seconds, "behind": batches - writer.through.value,
        ]
        print(String(decoding: try JSONSerialization.data(withJSONObject: line, options: .sortedKeys), as: UTF8.self))
    }
}

/// Who sends what into one window.
struct WindowCrowd: ParsableArguments {
    @Option(help: "Identifiers that send them, in turn.")
    var identifiers: UInt64 = 2_000_000

    @Option(help: "Events of a batch.")
    var events = 4

    func made(_ world: World) throws -> Made {
        let prepared = try world.bodies(events: events, count: 2000, spreads: true)
        return Made(templates: try prepared.bodies.map { try world.read($0).bucketed }, identifiers: identifiers)
    }

    struct Made: Sendable {
        let templates: [BucketedBatch]
        let identifiers: UInt64
        var window: WindowID { templates[0].window }

        func batch(_ number: UInt64) -> (BucketedBatch, KeyedIdentifier) {
            let who = number % identifiers
            let template = templates[Int((who &* 7 &+ number / identifiers) % UInt64(templates.count))]
            return (
                BucketedBatch(
                    id: BatchID(high: 1, low: number), window: template.window, events: template.events,
                    contributions: template.contributions, amounts: template.amounts, repeats: template.repeats,
                    marks: template.marks),
                KeyedIdentifier(high: Self.mixed(who), low: Self.mixed(who ^ 0x5555_5555_5555_5555))
            )
        }

        /// MurmurHash3's finalizer: as uniform as a keyed identifier is.
        private static func mixed(_ number: UInt64) -> UInt64 {
            var mixed = (number &+ 0x9E37_79B9_7F4A_7C15) &* 0xFF51_AFD7_ED55_8CCD
            mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
            return mixed ^ mixed >> 33
        }
    }
}

/// Writes checkpoints as often as a daemon does.
struct CheckpointClerk {
    let data: DataDirectory
    let keys: KeyRing
    let journal: Journal
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var writtenBytes = 0
    private(set) var seconds = 0.0
    private(set) var through = JournalPosition.start
    private var pace = CheckpointPace(least: Journal.Options().checkpointBytes)

    init(data: DataDirectory, keys: KeyRing, journal: Journal) {
        (self.data, self.keys, self.journal) = (data, keys, journal)
    }

    /// - Parameter now: since the first batch.
    func isDue(_ now: Duration) -> Bool { pace.isDue(total: journal.totalBytes, now: now) }

    /// - Parameters:
    ///   - now: since the first batch.
    ///   - step: begins or goes on with a walk.
    mutating func write(
        space: CellSpace, now: Duration = .zero, _ step: (inout WindowWalk?) -> WindowWalk.Next?
    ) throws {
        let began = ContinuousClock.now
        let total = journal.totalBytes
        var walk: WindowWalk?
        guard step(&walk) == nil, let begun = walk else { throw ValidationError("No walk began.") }
        var writer = try CheckpointWriter(data, keys: keys, walk: begun)
        while let next = step(&walk) {
            switch next {
            case .part(let part): try writer.add(part)
            case .windowEnded: throw ValidationError("The window has ended.")
            case .end(let end):
                through = end
                // As PostgreSQL has it once it is on disk.
                let synced = DispatchSemaphore(value: 0)
                journal.acknowledgeable(end) { _ in synced.signal() }
                synced.wait()
                try writer.finish(through: end, journal: journal, space: space)
                count += 1
                bytes = writer.bytes
                pace.note(total: total, size: bytes, now: now)
                writtenBytes += bytes
                seconds += (ContinuousClock.now - began) / .seconds(1)
                return
            }
        }
    }
}

extension Counting {
    /// A walk's next part; nil where it begins.
    mutating func step(_ walk: inout WindowWalk?) -> WindowWalk.Next? {
        guard var known = walk else {
            walk = self.walk()
            return nil
        }
        defer { walk = known }
        return next(of: &known)
    }
}
