internal import Logging
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan

extension IngestionStart {
    /// A start's counts, the journal's records, and the position up to which a checkpoint relies on PostgreSQL.
    typealias Replayed = (Counting, JournalReader.Replayed, restored: JournalPosition)

    /// Restores the counts from a usable checkpoint and the journal behind it, or from the whole journal.
    func replay(
        _ reader: JournalReader, space: CellSpace, keys: KeyRing, watermark: JournalPosition?, now: UnixSeconds
    ) throws -> Replayed {
        func counting() -> Counting {
            Counting(space: space, position: reader.base, watermark: watermark, bounds: options.bounds)
        }
        do throws(JournalError) {
            if let found = try restored(counting(), reader, keys: keys, watermark: watermark, now: now) { return found }
        } catch {
            // Damage of the journal itself shows again.
            logger.warning(
                "the checkpoint can't be used; the whole journal is replayed, which takes longer",
                metadata: ["error": "\(error)"])
            do throws(JournalError) {
                try Checkpoint.remove(from: data)
            } catch {
                logger.warning("it is left where it is", metadata: ["error": "\(error)"])
            }
        }
        var whole = counting()
        do throws(JournalError) {
            let replayed = try replay(reader, into: &whole, after: nil, watermark: watermark, now: now)
            return (whole, replayed, .start)
        } catch {
            // A start after damage went on behind PostgreSQL's watermark; or a segment is gone. PostgreSQL knows.
            guard watermark == nil, case .gap(let expected, let found, _) = error, found > expected else { throw error }
            throw DaemonError.watermarkNeeded(journal: expected.value - 1)
        }
    }

    /// Restores the counts from a checkpoint; returns nil if there is none.
    private func restored(
        _ empty: Counting, _ reader: JournalReader, keys: KeyRing, watermark: JournalPosition?, now: UnixSeconds
    ) throws(JournalError) -> Replayed? {
        guard options.journal.checkpointBytes > 0 else {
            try Checkpoint.remove(from: data)
            return nil
        }
        guard let checkpoint = try Checkpoint(in: data) else { return nil }
        guard reader.fits(checkpoint) else { throw .unusableCheckpoint(.otherJournal) }
        if let watermark, watermark < checkpoint.through { throw .unusableCheckpoint(.databaseIsOlder) }
        var counting = empty
        try checkpoint.restore(into: &counting, keys: keys, now: now)
        let replayed = try replay(reader, into: &counting, after: checkpoint, watermark: watermark, now: now)
        guard replayed.last >= checkpoint.through else { throw .unusableCheckpoint(.journalIsOlder) }
        logger.info(
            "went on from a checkpoint",
            metadata: ["from": "\(checkpoint.from.value)", "through": "\(checkpoint.through.value)"])
        return (counting, replayed, checkpoint.through)
    }

    private func replay(
        _ reader: JournalReader, into counting: inout Counting, after checkpoint: Checkpoint?,
        watermark: JournalPosition?, now: UnixSeconds
    ) throws(JournalError) -> JournalReader.Replayed {
        let from = checkpoint?.from ?? .start
        var batches = 0
        let replayed = try reader.replay(space: counting.space, flushed: watermark, after: checkpoint) { record in
            guard record.position > from else { return }
            counting.replay(record, now: now)
            batches += 1
        }
        if batches > 0 { logger.info("replayed the journal", metadata: ["batches": "\(batches)"]) }
        return replayed
    }
}
