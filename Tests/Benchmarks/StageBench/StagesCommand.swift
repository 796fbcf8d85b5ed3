import ArgumentParser
import CAllocationCount
import CSimdJSON
import Crypto
import Foundation
import ThrongIngest
import ThrongJournal
import ThrongLoad
import ThrongPlan

/// Runs each stage over the same batches and prints what a batch took of it.
struct StagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stages", abstract: "Time and allocations of each stage; instructions under callgrind.")

    @OptionGroup var workbench: Workbench

    @Option(help: "Events of a batch; more than one size may be given.")
    var events = [1, 10, 100]

    @Option(help: "How often each stage is run; the median counts.")
    var rounds = 7

    @Option(help: "Events of one round, in batches.")
    var amount = 200_000

    @Option(help: "Batches of one round at most.")
    var batches = 20_000

    @Option(help: "Only this stage.")
    var only: String?

    mutating func run() throws {
        let world = try workbench.world()
        for size in events {
            let stages = try Stages(world: world, events: size, batches: max(1, min(batches, amount / size)))
            for stage in stages.all where only == nil || only == stage.name { try measure(stage, stages) }
        }
    }

    /// One line of JSON a stage and size.
    private func measure(_ stage: Stages.Stage, _ stages: Stages) throws {
        if is_callgrind() != 0 {
            // Threads that wait for each other upset its sums.
            if stage.isOfAllThreads { return }
            let work = try stage.prepare()
            callgrind_begin()
            try work()
            callgrind_end("\(stage.name) \(stages.events) \(stage.units?() ?? stages.count)")
            return
        }
        var figures: [(nanoseconds: Double, allocations: Double)] = []
        for _ in 0..<rounds {
            let work = try stage.prepare()
            let clock = stage.isOfAllThreads ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID
            let (start, allocations) = (Self.nanoseconds(clock), allocation_count())
            try work()
            let (end, after) = (Self.nanoseconds(clock), allocation_count())
            let units = Double(stage.units?() ?? stages.count)
            figures.append((Double(end - start) / units, Double(after - allocations) / units))
        }
        let times = figures.map(\.nanoseconds).sorted()
        let line: [String: Any] = [
            "stage": stage.name, "events": stages.events, "batches": stages.count,
            "nanoseconds": times[times.count / 2], "lowest": times[0], "highest": times[times.count - 1],
            "allocations": figures[figures.count - 1].allocations,
        ]
        let json = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
        print(String(decoding: json, as: UTF8.self))
    }

    /// Processor time: what else the machine does does not count.
    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// The stages of one batch size, each with what comes before it done already.
final class Stages {
    /// A stage: what to do before the clock runs, and then what is measured.
    struct Stage {
        let name: String
        let prepare: () throws -> (() throws -> Void)
        /// What a run's cost is divided by; nil is the number of batches.
        var units: (() -> Int)?
        /// Whether the time of other threads is part of it; allocations are this thread's alone.
        var isOfAllThreads = false
    }

    let events: Int
    let count: Int
    private let world: World
    private let bodies: [[UInt8]]
    private let incoming: [IncomingBatch]
    private let identifiers: [KeyedIdentifier]
    private let counted: [CountedBatch]
    private let key = WindowKey.random()
    private var touched = 1

    init(world: World, events: Int, batches: Int) throws {
        self.world = world
        self.events = events
        count = batches
        let prepared = try world.bodies(events: events, count: min(batches, 2000))
        bodies = (0..<UInt64(batches)).map { prepared.body($0, run: 1) }
        incoming = try bodies.map { try world.read($0) }
        let key = key
        identifiers = incoming.map { $0.identifier.keyed(with: key) }
        var counting = world.counting()
        counted = try zip(incoming, identifiers).map {
            try world.count($0.bucketed, identifier: $1, in: &counting)
        }
    }

    var all: [Stage] {
        [
            Stage(name: "decode", prepare: decode),
            Stage(name: "decode and bucket", prepare: read),
            Stage(name: "key", prepare: keying),
            Stage(name: "count", prepare: counting),
            Stage(name: "append", prepare: append),
            Stage(name: "commit by 32", prepare: commit, isOfAllThreads: true),
            Stage(name: "AES-GCM alone", prepare: seal),
            Stage(name: "freeze and sort, a counter", prepare: flush, units: { self.touched }),
            Stage(name: "read journal", prepare: { try self.replay(counts: false) }),
            Stage(name: "replay", prepare: { try self.replay(counts: true) }),
        ]
    }

    private func decode() throws -> (() throws -> Void) {
        guard let parser = throng_json_parser_new(8, .max) else {
            throw ValidationError("There is no memory for a parser.")
        }
        return { [bodies] in
            var nodes = 0
            for body in bodies {
                nodes += Int(body.withUnsafeBufferPointer { throng_json_parse(parser, $0.baseAddress, $0.count).count })
            }
            throng_json_parser_free(parser)
            guard nodes > 0 else { throw ValidationError("Nothing was parsed.") }
        }
    }

    private func read() throws -> (() throws -> Void) {
        _ = try world.read(bodies[0])
        return { [world, bodies] in for body in bodies { _ = try world.read(body) } }
    }

    private func keying() throws -> (() throws -> Void) {
        { [incoming, key] in
            var last = UInt64(0)
            for batch in incoming { last ^= batch.identifier.keyed(with: key).low }
            guard last != 0 else { throw ValidationError("Nothing was keyed.") }
        }
    }

    private func counting() throws -> (() throws -> Void) {
        var counting = world.counting()
        return { [self] in
            for place in incoming.indices {
                _ = try world.count(incoming[place].bucketed, identifier: identifiers[place], in: &counting)
            }
        }
    }

    /// Hands over to the thread that seals and writes, whose time is not part of it.
    private func append() throws -> (() throws -> Void) {
        let folder = try TemporaryFolder()
        let (data, keys, journal) = try world.journal(in: folder.path)
        return { [counted] in
            for batch in counted { try journal.append(batch, key: keys.key(of: batch.window)) }
            journal.stop()
            // Its thread may hold on to the folder for a moment longer.
            data.unlock()
            _ = folder
        }
    }

    /// The whole way to disk, for batches that share a sync: what both threads and the kernel spend on it.
    private func commit() throws -> (() throws -> Void) {
        let folder = try TemporaryFolder()
        let (data, keys, journal) = try world.journal(in: folder.path)
        return { [counted] in
            let synced = DispatchSemaphore(value: 0)
            for group in stride(from: 0, to: counted.count, by: 32).map({ counted[$0...].prefix(32) }) {
                for batch in group { try journal.append(batch, key: keys.key(of: batch.window)) }
                journal.acknowledgeable(group[group.endIndex - 1].position) { _ in synced.signal() }
                synced.wait()
            }
            journal.stop()
            // Its thread may hold on to the folder for a moment longer.
            data.unlock()
            _ = folder
        }
    }

    /// What of ``append()`` is encryption: records are about this long.
    private func seal() throws -> (() throws -> Void) {
        let key = SymmetricKey(size: .bits256)
        let records = counted.map { batch in
            [UInt8](repeating: 7, count: 44 + batch.additions.count * 22 + batch.appearances.count * 15)
        }
        return {
            var bytes = 0
            for record in records {
                let nonce = try AES.GCM.Nonce(data: record[..<12])
                bytes += try AES.GCM.seal(record, using: key, nonce: nonce, authenticating: record[..<16]).ciphertext
                    .count
            }
            guard bytes > 0 else { throw ValidationError("Nothing was sealed.") }
        }
    }

    private func flush() throws -> (() throws -> Void) {
        var counting = world.counting()
        for place in incoming.indices {
            _ = try world.count(incoming[place].bucketed, identifier: identifiers[place], in: &counting)
        }
        touched = counting.pendingCells
        return {
            guard counting.takePending()?.flush().counters.isEmpty == false else {
                throw ValidationError("Nothing was pending.")
            }
        }
    }

    private func replay(counts: Bool) throws -> (() throws -> Void) {
        let folder = try TemporaryFolder()
        do {
            let (data, keys, journal) = try world.journal(in: folder.path)
            for batch in counted { try journal.append(batch, key: keys.key(of: batch.window)) }
            journal.stop()
            // Its thread may hold on to the folder for a moment longer.
            data.unlock()
        }
        let data = try DataDirectory(path: folder.path)
        let keys = try KeyRing(data)
        var counting = world.counting()
        return { [self] in
            let now = world.now
            var records = 0
            _ = try JournalReader(data, keys: keys).replay(space: world.space, flushed: .start) { record in
                records += 1
                if counts { counting.replay(record, now: now) }
            }
            guard records == count else { throw ValidationError("\(records) of \(count) records came back.") }
            _ = folder
        }
    }
}
