internal import Logging
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongWire

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
