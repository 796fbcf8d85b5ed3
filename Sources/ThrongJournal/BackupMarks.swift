package import ThrongPlan
internal import ThrongSystem

/// The times at which a backup of a data directory was last made, last failed, and its keys were last exported:
/// `backup.made`, `backup.failed` and `backup.exported`, each a ``KeptFile`` with the seconds since 1970 as digits and
/// a line break. They are for operators; no decision depends on them.
package struct BackupMarks: Sendable {
    package enum Deed: String, Sendable, CaseIterable { case made, failed, exported }

    private let folder: String
    private let disk: any Disk

    package init(dataPath: String, on machine: Machine = .real) { (folder, disk) = (dataPath, machine.disk) }

    /// Sets a mark; it is on disk when this returns.
    package func note(_ deed: Deed, at now: UnixSeconds) throws(JournalError) {
        try disk.keep(Array("\(now.value)\n".utf8), at: path(of: deed), as: .backupMark)
    }

    /// Returns the time of the last mark of a kind; nil if there is none.
    package func last(_ deed: Deed) throws(JournalError) -> UnixSeconds? {
        let path = path(of: deed)
        guard disk.exists(path) else { return nil }
        let content = try disk.kept(at: path, as: .backupMark)
        guard content.last == 0x0A, let seconds = Int64(String(decoding: content.dropLast(), as: UTF8.self)) else {
            throw .damagedFile(FileDamage(path: path, kind: .backupMark, flaw: .content))
        }
        return UnixSeconds(seconds)
    }

    private func path(of deed: Deed) -> String { "\(folder)/backup.\(deed.rawValue)" }
}
