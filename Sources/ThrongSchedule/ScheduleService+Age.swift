internal import Logging
internal import ThrongDelivery
internal import ThrongPlan
internal import ThrongStore

/// What goes by its age, and what age has left.
extension ScheduleService {
    /// Takes away what is older than it may be; false where anything of it could not be.
    ///
    /// Each round is made whatever became of the others, and of every app whatever became of another.
    func expire(_ now: UnixSeconds) async -> Bool {
        let rounds = health.rounds
        let outcome = await rounds.make(.retention, leaving: \.troubles) {
            try await retention.expire(plans: plans, now: now)
        }
        // With what went in the house.
        if outcome != nil { rounds.ended(.backupKeys) }
        // After the numbers: a folder on another machine may hang.
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
        // Last, once all is said: somebody may hold a table.
        let pages: Void? = await rounds.make(.pages) { try await retention.rewritePages() }
        return outcome?.troubles.isEmpty == true && copies?.troubles.isEmpty == true && pages != nil
    }

    /// Looks once an hour whether another daemon has taken from the house what this one's backups still have.
    func destroyKeys(_ keysHour: inout Int64) async {
        guard clock.now.flooredQuotient(by: 3600) != keysHour, let now = await guarded.believed() else { return }
        let isDone: Void? = await health.rounds.make(.backupKeys) { try await retention.destroyKeys(now: now) }
        if isDone != nil { keysHour = now.flooredQuotient(by: 3600) }
    }

    /// Looks once an hour, and after each round of retention, whether age has left anything that should be gone; also while
    /// the time of day is not believed, which is a reason for it.
    ///
    /// - Parameter watchedHour: the hour in which that was done last. Unit: hours since 1970.
    package func watch(_ watchedHour: inout Int64) async {
        let now = clock.now
        let hour = now.flooredQuotient(by: 3600)
        guard hour != watchedHour else { return }
        // Where nothing can be asked, what was known last stands: it gets overdue by itself.
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
