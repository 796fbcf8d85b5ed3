internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// Writes checkpoints of open windows, again and again, so that a start need not replay all of them.
///
/// Counting goes on meanwhile: the state is written in parts of half a megabyte, and a part is referred to, not copied.
/// On its own thread it takes a quarter of a core at most.
final class CheckpointKeeper: Service {
    private let ingestion: Ingestion
    private let data: DataDirectory
    private let options: Journal.Options
    private let health: RoundHealth
    private let logger: Logger
    private let work: Mutex<Work>
    private let isStopping = Atomic<Bool>(false)

    private struct Work: ~Copyable {
        /// The checkpoint that is written and waits until PostgreSQL has everything up to ``through``.
        var written: CheckpointWriter?
        var through = JournalPosition.start
        var pace: CheckpointPace
        /// The windows of the checkpoint that is in place; nil if they are not known.
        var windows: [WindowID]?
        var pending: [WindowID] = []

        init(_ options: Journal.Options) { pace = CheckpointPace(least: options.checkpointBytes) }
    }

    init(_ ingestion: Ingestion, data: DataDirectory, options: Journal.Options, health: RoundHealth, logger: Logger) {
        (self.ingestion, self.data, self.options, self.health, self.logger) = (ingestion, data, options, health, logger)
        work = Mutex(Work(options))
    }

    func run() async throws {
        if options.checkpointBytes > 0 { health.expect(.checkpoints) }
        try await withGracefulShutdownHandler {
            while !Task.isShuttingDownGracefully {
                await onOwnThread { self.turn() }
                try await pause(.seconds(1))
            }
        } onGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
        }
    }

    /// Writes a checkpoint if one is due, or puts the one in place that waited for PostgreSQL. Blocks.
    func turn() {
        guard options.checkpointBytes > 0, ingestion.journal.isHeld else { return }
        work.withLock { work in
            do throws(JournalError) {
                try advance(&work)
                health.ended(.checkpoints)
            } catch {
                health.failed(.checkpoints, error)
                work.written = nil
                // The next try waits.
                work.pace.note(total: ingestion.journal.totalBytes, size: 0, now: data.machine.elapsed())
                work.windows = work.windows ?? []
                logger.warning(
                    "no checkpoint could be written; a start replays more of the journal, and nothing else follows",
                    metadata: ["error": "\(error)"])
                do throws(JournalError) {
                    try CheckpointWriter.discard(in: data)
                } catch { logger.warning("what was written of it is left behind", metadata: ["error": "\(error)"]) }
            }
        }
    }

    private func advance(_ work: inout Work) throws(JournalError) {
        if work.written != nil { return try finish(&work) }
        try removeUnneeded(&work)
        guard isDue(work) else { return }
        try write(&work)
        try finish(&work)
    }

    private func isDue(_ work: borrowing Work) -> Bool {
        guard ingestion.knownFlushed != nil,
            work.pace.isDue(total: ingestion.journal.totalBytes, now: data.machine.elapsed())
        else { return false }
        guard let space = data.space else { return true }
        return space.free > 2 * ingestion.journal.reserve + ingestion.gauges.windowBytes
    }

    private func write(_ work: inout Work) throws(JournalError) {
        let (total, begun) = (ingestion.journal.totalBytes, data.machine.elapsed())
        guard var walk = ingestion.state.withLock({ $0.walk() }), !walk.windows.isEmpty else { return }
        var writer = try CheckpointWriter(data, keys: ingestion.keys, walk: walk)
        // A stop waits for none.
        while !isStopping.load(ordering: .relaxed) {
            let began = data.machine.elapsed()
            switch ingestion.state.withLock({ $0.next(of: &walk) }) {
            case .part(let part): try writer.add(part)
            case .end(let through):
                work.pace.note(total: total, size: writer.bytes, now: begun)
                work.through = through
                work.pending = walk.windows
                work.written = consume writer
                return
            case .windowEnded: return try CheckpointWriter.discard(in: data)
            }
            rest((data.machine.elapsed() - began) * 3)
        }
        try CheckpointWriter.discard(in: data)
    }

    private func rest(_ length: Duration) {
        guard data.machine.hasThreads else { return }
        Thread.sleep(forTimeInterval: min(length, .seconds(1)) / .seconds(1))
    }

    private func finish(_ work: inout Work) throws(JournalError) {
        // Counts that PostgreSQL lacks are in the journal only: a start must not pass them over.
        guard let flushed = ingestion.knownFlushed, flushed >= work.through, ingestion.journal.isHeld,
            var written = work.written.take()
        else { return }
        try written.finish(
            through: work.through, journal: ingestion.journal, space: ingestion.state.withLock { $0.space })
        work.windows = work.pending
        logger.info(
            "wrote a checkpoint",
            metadata: [
                "bytes": "\(written.bytes)", "windows": "\(work.pending.count)", "through": "\(work.through.value)",
            ])
    }

    /// Deletes a checkpoint whose windows are all over: nobody can read any of it.
    private func removeUnneeded(_ work: inout Work) throws(JournalError) {
        if work.windows == nil { work.windows = try Checkpoint(in: data)?.windows(ingestion.keys) ?? [] }
        guard let windows = work.windows, !windows.isEmpty else { return }
        let known = Set(ingestion.keys.windows)
        guard windows.allSatisfy({ !known.contains($0) }) else { return }
        try Checkpoint.remove(from: data)
        work.windows = []
    }
}

/// Keeping of flushes for a while, in case PostgreSQL loses them.
extension FlushService {
    /// Attaches if necessary, and repeats the flushes that PostgreSQL has lost.
    func level(_ progress: inout Progress) async throws {
        if let watermark = try await database.attachedNow() {
            progress.settled = 0
            let known = kept.end(from: watermark) ?? watermark
            // The batches taken since the start have not been flushed yet.
            if ingestion.knownFlushed == nil, known > first {
                throw DaemonError.overtaken(database: known.value, journal: ingestion.position.value)
            }
            // Only the whole journal has the missing counts, and the next start replays it.
            if ingestion.knownFlushed == nil, known < ingestion.restored {
                throw DaemonError.checkpointAhead(database: known.value, checkpoint: ingestion.restored.value)
            }
            if known >= unreadable {
                ingestion.toMakeAgain.store(known.value - watermark.value, ordering: .relaxed)
                ingestion.resolve(watermark: known)
            }
        }
        let edited = database.takeEdited()
        if !edited.isEmpty {
            logger.notice(
                "the plan asks something else of releases than before; periods under way keep what is stricter",
                metadata: ["metrics": "\(edited.map(\.text).sorted().joined(separator: ", "))"])
        }
        guard !progress.isLevel else { return }
        var found = try await database.counters.watermark()
        guard let target = ingestion.knownFlushed else {
            database.detach()
            throw StoreError.watermarkMoved(expected: unreadable, found: found)
        }
        if found != target, found != progress.underWay?.through {
            guard let steps = kept.steps(from: found, to: target) else {
                throw StoreError.watermarkMoved(expected: target, found: found)
            }
            let facts: Logger.Metadata = ["from": "\(found.value)", "to": "\(target.value)", "flushes": "\(steps)"]
            if steps == 1, !progress.wasLevel {
                logger.notice("the flush that was under way when the daemon ended is made again", metadata: facts)
            } else {
                telemetry.databaseWasSetBack()
                logger.error("PostgreSQL has lost flushes; those that were kept are made again", metadata: facts)
            }
            while found != target {
                ingestion.toMakeAgain.store(target.value - found.value, ordering: .relaxed)
                let position = found
                guard let flush = try await machine.onThread({ [kept] in try kept.flush(after: position) }) else {
                    throw StoreError.watermarkMoved(expected: target, found: found)
                }
                _ = try await apply(flush)
                kept.renew(flush, now: clock.now)
                found = flush.through
            }
            logger.notice("PostgreSQL has everything again", metadata: facts)
        }
        ingestion.toMakeAgain.store(0, ordering: .relaxed)
        progress.isLevel = true
        progress.wasLevel = true
    }

    /// Keeps a flush before PostgreSQL gets it. If that fails, the flush goes on: PostgreSQL may still take it when the
    /// disk is full, and then the journal shrinks.
    ///
    /// - Returns: true if the flush is kept. Earlier ones stay in any case: PostgreSQL may have lost them unnoticed.
    /// - Throws: a failed sync, which ends the process like any other.
    func keep(_ flush: Flush) async throws -> Bool {
        do {
            try await machine.onThread { [kept, clock] in try kept.keep(flush, now: clock.now) }
            return true
        } catch let error as JournalError where error.isFailedSync {
            // The next start looks at what is there.
            throw error
        } catch {
            logger.error(
                "a flush could not be kept: if PostgreSQL loses it, only the journal may still have it",
                metadata: ["error": "\(error)"])
            return false
        }
    }

    func forgetKept() async throws {
        do {
            try await machine.onThread { [kept] in try kept.forget() }
        } catch let error as JournalError where error.isFailedSync {
            throw error
        } catch { logger.error("kept flushes could not be removed", metadata: ["error": "\(error)"]) }
    }

    func prune() async {
        await telemetry.rounds.make(.keptFlushes) {
            let early = try await machine.onThread { [kept, clock] in try kept.prune(now: clock.now) }
            if early > 0 { logger.warning("kept flushes went early: they had reached their cap") }
        }
        telemetry.kept(bytes: kept.bytes)
    }
}
