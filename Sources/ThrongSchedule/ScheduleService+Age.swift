internal import Logging
internal import ThrongPlan
internal import ThrongStore

/// Deletion of expired data, and the check that none is left.
extension ScheduleService {
    /// Deletes expired data; returns false if anything of it could not be deleted.
    ///
    /// Each round is made even if another failed, and each app's part even if another app's failed.
    func expire(_ now: UnixSeconds) async -> Bool {
        let rounds = health.rounds
        let outcome = await rounds.make(.retention, leaving: \.troubles) {
            try await retention.expire(plans: plans, now: now)
        }
        // Keys are destroyed together with the expired data.
        if outcome != nil { rounds.ended(.backupKeys) }
        // Copies come after the numbers: a folder on another machine may hang.
        let copies = await rounds.make(.copies, leaving: \.troubles) {
            try await retention.removeCopies(plans, now: now)
        }
        for (folder, reason) in (copies?.left ?? [:]).sorted(by: { $0.key < $1.key }) {
            logger.warning(
                "reports that are kept no longer are still in a folder",
                metadata: ["folder": "\(folder)", "reason": "\(reason)"])
        }
        let went = (cells: outcome?.cells ?? 0, partitions: outcome?.partitions.count ?? 0, copies: copies?.files ?? 0)
        if went != (0, 0, 0) {
            logger.info(
                "let go of what was too old",
                metadata: [
                    "cells": "\(went.cells)", "partitions": "\(went.partitions)", "copies": "\(went.copies)",
                ])
        }
        // Pages come last, once all is logged: somebody may hold a table.
        let pages: Void? = await rounds.make(.pages) { try await retention.rewritePages() }
        return outcome?.troubles.isEmpty == true && copies?.troubles.isEmpty == true && pages != nil
    }

    /// Destroys, once an hour, the keys of data that another daemon has deleted and this one's backups still have.
    func destroyKeys(_ keysHour: inout Int64) async {
        guard clock.now.flooredQuotient(by: 3600) != keysHour, let now = await guarded.believed() else { return }
        let isDone: Void? = await health.rounds.make(.backupKeys) { try await retention.destroyKeys(now: now) }
        if isDone != nil { keysHour = now.flooredQuotient(by: 3600) }
    }

    /// Checks once an hour, and after each round of retention, whether any data is left that should be gone. It does so
    /// even while the time of day is not believed, which may be the cause.
    package func watch(_ watchedHour: inout Int64) async {
        let now = clock.now
        let hour = now.flooredQuotient(by: 3600)
        guard hour != watchedHour else { return }
        // If PostgreSQL can't be asked, the last known deadline stands: it becomes overdue by itself.
        guard
            let outlook = await health.rounds.make(.age, leaving: \.troubles, { try await retention.outlook(plans) })
        else { return }
        health.retentionIsDue(outlook.due, apps: plans.map(\.app.name), now: now)
        watchedHour = hour
        // The soonest comes first, so it is the latest.
        guard let worst = outlook.due.first, worst.isOverdue(at: now) else { return }
        logger.error(
            "what should have gone by its age is still there",
            metadata: [
                "steps": "\(outlook.due.count { $0.isOverdue(at: now) })", "app": "\(worst.app)",
                "metric": "\(worst.metric)",
                "term": "\(worst.term)", "late": "\(worst.seconds(lateAt: now)) s",
            ])
    }
}
