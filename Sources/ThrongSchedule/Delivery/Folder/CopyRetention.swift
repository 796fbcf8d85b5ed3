package import ThrongPlan
internal import ThrongReport
package import ThrongStore

/// Takes reports that are kept no longer from the folders that they were delivered to on this machine.
package struct CopyRetention: Sendable {
    let store: RetentionStore
    /// The folder in which relative paths of deliveries begin.
    let folder: String

    package struct Outcome: Sendable, Hashable {
        package var files = 0
        /// Folders that are not here, or could not be emptied, and why.
        package var left: [String: String] = [:]
        /// The apps of which it can't be told what is due.
        package var troubles: [AppTrouble] = []

        package init() {}
    }

    /// Removes what is due by the plans in force. What can't be reached is tried again by the next round.
    package func remove(_ plans: [Plan], now: UnixSeconds) async throws -> Outcome {
        var outcome = Outcome()
        let due = try await store.agedCopies(plans, now: now)
        outcome.troubles = due.troubles
        for copy in due.copies {
            guard case .folder(let path)? = Delivery(target: copy.target, authorization: nil) else { continue }
            let copies = DeliveredCopies(
                folder: ReportFolder(named: path, in: folder).path,
                stems: [ReportFile.stem(report: copy.run.report.text, period: copy.label)])
            guard copies.isHere else {
                outcome.left[copies.folder] = "there is no such folder on this machine"
                continue
            }
            do {
                // An empty folder tells that nothing is left in it; one that is away tells nothing.
                let files = try await onOwnThread { try copies.remove(takingFolder: false) }
                try await store.wasRemoved(copy, files: files)
                outcome.files += files
            } catch let error as ReportError {
                outcome.left[copies.folder] = "\(error)"
            }
        }
        return outcome
    }
}
