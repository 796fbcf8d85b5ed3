package import ThrongCounting
internal import ThrongFiles
package import ThrongPlan

extension DataDirectory {
    /// Where the journal ends, and whether anything in it may be an app's.
    ///
    /// Reads the journal as far as its windows' keys are there; changes nothing.
    /// - Parameter watermark: up to here PostgreSQL has what was journalled.
    /// - Throws: ``JournalError``: the same as a start.
    package func journalEnd(watermark: JournalPosition) throws(JournalError) -> JournalPosition {
        let keys = try KeyRing(self)
        let reader = try JournalReader(self, keys: keys)
        let space = CellSpace(layouts: try reader.layouts())
        return try reader.replay(space: space, flushed: watermark) { _ in }.last
    }

    /// Makes unreadable, or removes, what the folder holds of an app: the keys of its windows, what says that they are over,
    /// the flushes that are kept, the plan that it was counted by, the layouts that say what its cells mean, and the keys of its
    /// part of backups. Of these their files stay until ``BackupKeys/forgetDestroyed()``.
    ///
    /// PostgreSQL has to have everything that was journalled. What the journal holds of other apps stays readable; kept
    /// flushes are of all apps together, and go. May be done again where it was cut short.
    ///
    /// - Returns: how many keys, layouts, bytes of kept flushes, and keys of backups went.
    package func forget(_ app: AppName) throws(JournalError) -> Forgotten {
        let keys = try KeyRing(self)
        // It names layouts and keys, and costs no more than time.
        try Checkpoint.remove(from: self)
        let windows = keys.windows.filter { $0.app == app }
        try keys.destroy(keysOf: windows)
        try keys.forgetClosed(of: app)
        let kept = try KeptFlushes(self)
        let flushedBytes = kept.bytes
        try kept.forget()
        try RunningPlans.forget(app, in: self)
        var layouts = 0
        for name in try disk.names(in: layoutsPath) where name.hasSuffix(".layout") {
            let path = "\(layoutsPath)/\(name)"
            guard try layout(at: path).app == app else { continue }
            // First the mark, so that segments that mention it are read on without it.
            try disk.keep([], at: Self.gonePath(path), as: .goneLayout)
            try disk.remove(path)
            layouts += 1
        }
        if layouts > 0 { try disk.syncDirectory(layoutsPath) }
        let copies = BackupKeys(dataPath: path, on: machine)
        let backupKeys = try copies.destroy { $0.app == app.text }.values.reduce(0, +)
        return Forgotten(
            windows: windows.count, layouts: layouts, flushedBytes: flushedBytes, backupKeys: backupKeys)
    }

    /// What the folder held of an app.
    package struct Forgotten: Sendable, Hashable {
        /// Open windows, and ended ones of which the journal was kept.
        package let windows: Int
        /// Meanings of cells.
        package let layouts: Int
        /// Of all apps.
        package let flushedBytes: Int
        /// Those of its part of backups.
        package let backupKeys: Int
    }

    /// Whether a layout went with its app.
    func isGone(_ id: LayoutID) -> Bool {
        let path = "\(layoutsPath)/\(id).layout"
        return !disk.exists(path) && disk.exists(Self.gonePath(path))
    }

    private static func gonePath(_ path: String) -> String { path.dropLast(".layout".utf8.count) + ".gone" }
}
