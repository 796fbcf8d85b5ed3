internal import ThrongFiles
package import ThrongPlan

/// When a backup of a data directory was made last, could not be made, and its keys were exported: `backup.made`, `backup.failed`
/// and `backup.exported`, each a ``KeptFile`` with the seconds since 1970 as digits and a line break. For whoever looks after the
/// daemon; nothing goes by it.
package struct BackupMarks: Sendable {
    /// What was done.
    package enum Deed: String, Sendable, CaseIterable {
        case made, failed, exported
    }

    private let folder: String
    private let disk: any Disk

    /// Names the data directory; nothing is read yet.
    package init(dataPath: String, on machine: Machine = .real) {
        folder = dataPath
        disk = machine.disk
    }

    /// Writes down that something was done; it is on disk when this returns.
    package func note(_ deed: Deed, at now: UnixSeconds) throws(JournalError) {
        try disk.keep(Array("\(now.value)\n".utf8), at: path(of: deed), as: .backupMark)
    }

    /// When it was done last; nil where it never was, or nobody can tell.
    package func last(_ deed: Deed) -> UnixSeconds? {
        // What can't be read is as good as none: then the operator's page says that there was none.
        guard let content = try? disk.kept(at: path(of: deed), as: .backupMark),
            let text = String(validating: content, as: UTF8.self), text.hasSuffix("\n")
        else { return nil }
        return Int64(text.dropLast()).map { UnixSeconds($0) }
    }

    private func path(of deed: Deed) -> String { "\(folder)/backup.\(deed.rawValue)" }
}
