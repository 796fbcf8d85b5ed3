package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

extension DataDirectory {
    /// Returns the journal's last position.
    ///
    /// It reads the journal as far as its windows' keys exist, and changes nothing.
    /// - Parameter watermark: the position up to which PostgreSQL has everything.
    package func journalEnd(watermark: JournalPosition) throws(JournalError) -> JournalPosition {
        let keys = try KeyRing(self)
        let reader = try JournalReader(self, keys: keys)
        let space = CellSpace(layouts: try reader.layouts())
        return try reader.replay(space: space, flushed: watermark) { _ in }.last
    }

    /// Destroys or removes all that the folder holds of an app: the keys of its windows, the list of its closed
    /// windows, the kept flushes, its plan, its layouts, and the keys of its part of backups. The files of these last
    /// keys stay until ``BackupKeys/forgetDestroyed()``.
    ///
    /// PostgreSQL must have everything that was journalled. The journal's records of other apps stay readable; kept
    /// flushes are of all apps together, and are destroyed. It may be repeated if it was cut short.
    ///
    /// - Returns: the numbers of keys, layouts, bytes of kept flushes, and keys of backups that were destroyed.
    package func forget(_ app: AppName) throws(JournalError) -> Forgotten {
        let keys = try KeyRing(self)
        // The checkpoint names layouts and keys; without it a start only takes longer.
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
            // The mark comes first, so that segments that mention the layout can be read without it.
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

    /// The amounts of an app's data that the folder held.
    package struct Forgotten: Sendable, Hashable {
        package let windows: Int
        package let layouts: Int
        /// The size of kept flushes, of all apps. Unit: bytes.
        package let flushedBytes: Int
        package let backupKeys: Int
    }

    /// True if a layout was removed with its app.
    func isGone(_ id: LayoutID) -> Bool {
        let path = "\(layoutsPath)/\(id).layout"
        return !disk.exists(path) && disk.exists(Self.gonePath(path))
    }

    private static func gonePath(_ path: String) -> String { path.dropLast(".layout".utf8.count) + ".gone" }
}
