// The file of a window's key, `windows/<name, 16 hexadecimal digits>.key`: a KeptFile, numbers little-endian.
//
//     offset  size  what
//     0       8     the key's name
//     8       32    the key
//     40      8     the window's number
//     48      8     the purpose's rotation in seconds
//     56      2+n   the app's name: length, UTF-8
//     ...     2+n   the purpose's name
//
// The file is on disk before the key is used. It is overwritten and removed once the window is over and all of its
// batches are in PostgreSQL. From then on, nothing in the journal's blocks of that window can be read.

internal import Crypto
internal import Foundation
internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// The keys of windows that are open, or whose batches PostgreSQL does not have yet.
package final class KeyRing: Sendable {
    private let directory: String
    private let daemon: UUID
    private let machine: Machine
    private var disk: any Disk { machine.disk }
    private let keys: Mutex<Keys>
    private let closed: ClosedWindows
    /// The keys that may or may not be on disk: a second one for the same window would make the first one's batches
    /// unreadable. The lock is held while a key is written to disk.
    private let unsure = Mutex<[WindowID: WindowKey]>([:])

    private struct Keys {
        var all: [WindowID: WindowKey]
        /// The windows by their keys' names, for replays.
        var windows: [UInt64: WindowID]
        /// The window and key of the last request: nearly every batch is of the same window as the one before, which is
        /// then found without hashing its name. Nil once any window was closed since.
        var recent: (window: WindowID, key: WindowKey)?
    }

    package init(_ data: DataDirectory) throws(JournalError) {
        (directory, daemon, machine) = (data.windowsPath, data.daemon, data.machine)
        let disk = data.disk
        closed = try ClosedWindows(data)
        var found: [WindowID: WindowKey] = [:]
        for name in try disk.names(in: directory) {
            let path = "\(directory)/\(name)"
            // The key was never used, or was being destroyed when the daemon stopped.
            guard !name.hasSuffix(".new"), let content = try disk.keptSecret(at: path, as: .windowKey, of: daemon)
            else {
                try disk.remove(path)
                continue
            }
            let (window, key) = try Self.read(content, from: path, in: data)
            found[window] = key
        }
        keys = Mutex(
            Keys(
                all: found,
                windows: Dictionary(found.map { ($0.value.name, $0.key) }, uniquingKeysWith: { first, _ in first })))
    }

    /// Returns the key of a window, which is created, on disk first, if there is none. A closed one has
    /// ``JournalError/windowClosed``: its state is gone, and a clock that was set back does not bring it back.
    package func key(of window: WindowID) throws(JournalError) -> WindowKey {
        if let key = try known(window) { return key }
        // Other windows' keys can be read while this one is written to disk.
        return try unsure.withLock { unsure throws(JournalError) in
            if let key = try known(window) { return key }
            let key = unsure[window] ?? .random { machine.random() }
            unsure[window] = key
            try disk.keep(Self.content(of: key, for: window), at: path(of: key), as: .windowKey, of: daemon)
            unsure[window] = nil
            keys.withLock { keys in
                keys.all[window] = key
                keys.windows[key.name] = window
            }
            return key
        }
    }

    /// Returns the key of a window; nil if there is none yet.
    private func known(_ window: WindowID) throws(JournalError) -> WindowKey? {
        try keys.withLock { keys throws(JournalError) in
            if keys.recent?.window == window, let key = keys.recent?.key { return key }
            guard !closed.contains(window) else { throw .windowClosed }
            guard let key = keys.all[window] else { return nil }
            keys.recent = (window, key)
            return key
        }
    }

    /// Returns the key of a window that was counted in.
    package func existingKey(of window: WindowID) throws(JournalError) -> WindowKey {
        guard let key = keys.withLock({ $0.all[window] }) else { throw .windowClosed }
        return key
    }

    /// Returns the window and key with a name; nil if they no longer exist.
    func key(named name: UInt64) -> (window: WindowID, key: WindowKey)? {
        keys.withLock { keys in keys.windows[name].flatMap { window in keys.all[window].map { (window, $0) } } }
    }

    /// Closes the windows that are over, on disk: from here on ``key(of:)`` throws for them, and a clock that is set
    /// back does not open them again. Their keys stay until their counts are in PostgreSQL. Blocks.
    ///
    /// Call it after a replay and before anything is counted, with the replay's time: the replay did not restore the
    /// identifiers of windows that were over by then.
    /// - Returns: the number of windows that are over, with those closed before.
    @discardableResult package func markClosed(windowsOverBy now: UnixSeconds) throws(JournalError) -> Int {
        guard !Fault.reopenReplayedWindows.isOn else { return 0 }
        let over = windows.filter { $0.over <= now }
        try close(over)
        return over.count
    }

    private func close(_ windows: [WindowID]) throws(JournalError) {
        defer { keys.withLock { $0.recent = nil } }
        try closed.close(windows)
    }

    /// Destroys the keys of windows: overwritten, synced, removed. Requests for other keys need not wait. Blocks.
    package func destroy(keysOf windows: [WindowID]) throws(JournalError) {
        let destroyed = keys.withLock { keys in windows.compactMap { window in keys.all[window].map { (window, $0) } } }
        guard !destroyed.isEmpty else { return }
        try close(destroyed.map(\.0))
        for (window, key) in destroyed {
            let path = path(of: key)
            FaultPoint.reached("before_key_destroyed")
            try disk.blank(path, with: KeptFile.gone(KeptFile.headSize + Self.content(of: key, for: window).count))
            FaultPoint.reached("in_key_destroyed")
            try disk.remove(path)
            keys.withLock { keys in
                keys.all[window] = nil
                keys.windows[key.name] = nil
            }
        }
        try disk.syncDirectory(directory)
        FaultPoint.reached("after_key_destroyed")
    }

    /// Forgets which windows of an app were closed, once their keys are destroyed: no trace of them is left.
    func forgetClosed(of app: AppName) throws(JournalError) { try closed.forget(app) }

    package var windows: [WindowID] { keys.withLock { $0.all.keys.sorted() } }

    private func path(of key: WindowKey) -> String { Self.path(of: key, in: directory) }

    private static func path(of key: WindowKey, in directory: String) -> String {
        let digits = String(key.name, radix: 16)
        return "\(directory)/\(String(repeating: "0", count: 16 - digits.count))\(digits).key"
    }

    private static func content(of key: WindowKey, for window: WindowID) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(key.name)
        key.secret.withUnsafeBytes { writer.bytes.append(contentsOf: $0) }
        writer.add(numbers: window.number.value, window.rotation.seconds)
        writer.add(window.app.text)
        writer.add(window.purpose.text)
        return writer.bytes
    }

    private static func read(
        _ content: [UInt8], from path: String, in data: DataDirectory
    ) throws(JournalError) -> (WindowID, WindowKey) {
        let (window, key) = try data.disk.reading(content, of: path, as: .windowKey) { reader throws(JournalError) in
            let name = try reader.next(UInt64.self)
            let secret = SymmetricKey(data: Array(try reader.nextBytes(32)))
            let number = try reader.next(Int64.self)
            let rotation = try reader.next(Int64.self)
            let app = try reader.nextText()
            let purpose = try reader.nextText()
            let window = WindowID(
                app: AppName(app), purpose: PurposeName(purpose), rotation: Rotation(seconds: max(1, rotation)),
                number: WindowNumber(number))
            return rotation > 0 ? (window, WindowKey(name: name, secret: secret)) : nil
        }
        let place = Self.path(of: key, in: data.windowsPath)
        guard path == place else {
            throw .damagedFile(FileDamage(path: path, kind: .windowKey, flaw: .misplaced(name: place)))
        }
        return (window, key)
    }
}

// The windows that take no batch any more, `windows.closed`: a KeptFile whose content is this. Numbers are little-endian.
//
//     4       purposes: p
//     p × ... the last window's number i64, the rotation in seconds i64, the app's name, the purpose's name: length u16, UTF-8

/// The last window of each purpose that is over for good: its key was destroyed, or a replay found it to be over. It
/// and those before it are never opened again: their identifiers are forgotten, and would be counted twice.
final class ClosedWindows: Sendable {
    /// A purpose with its rotation: windows of another length have other numbers.
    private struct Sequence: Hashable {
        let app: AppName
        let purpose: PurposeName
        let rotation: Int64
        /// The takeover that the windows are of; 0 for none.
        let takenOver: Int64

        init(_ window: WindowID) {
            (app, purpose, rotation) = (window.app, window.purpose, window.rotation.seconds)
            takenOver = window.number.takenOver
        }
    }

    private let path: String
    private let daemon: UUID
    private let disk: any Disk
    private let last: Mutex<[Sequence: WindowNumber]>
    /// The state on disk. The lock is held while it is written, and queries need not wait for that.
    private let written: Mutex<[Sequence: WindowNumber]>

    init(_ data: DataDirectory) throws(JournalError) {
        (path, daemon, disk) = (data.closedWindowsPath, data.daemon, data.disk)
        var found: [Sequence: WindowNumber] = [:]
        if disk.exists(path) {
            let content = try disk.kept(at: path, as: .closedWindows, of: daemon)
            found = try disk.reading(content, of: path, as: .closedWindows) { reader throws(JournalError) in
                var found: [Sequence: WindowNumber] = [:]
                for _ in 0..<(try reader.next(UInt32.self)) {
                    let number = WindowNumber(try reader.next())
                    let rotation = Rotation(seconds: try reader.next())
                    let (app, purpose) = (AppName(try reader.nextText()), PurposeName(try reader.nextText()))
                    found[Sequence(WindowID(app: app, purpose: purpose, rotation: rotation, number: number))] = number
                }
                return found
            }
        }
        last = Mutex(found)
        written = Mutex(found)
    }

    func contains(_ window: WindowID) -> Bool {
        last.withLock { last in last[Sequence(window)].map { window.number <= $0 } ?? false }
    }

    /// Closes windows and those before them, at once in memory; returns once that is on disk. Blocks.
    func close(_ windows: [WindowID]) throws(JournalError) {
        let next = last.withLock { last in
            for window in windows {
                last[Sequence(window)] = max(last[Sequence(window)] ?? window.number, window.number)
            }
            return last
        }
        // Another thread may have written more meanwhile; none writes less.
        try write { written in written.merging(next) { max($0, $1) } }
    }

    /// Forgets the windows of an app, on disk. No window may be closed meanwhile. Blocks.
    func forget(_ app: AppName) throws(JournalError) {
        let next = last.withLock { last in
            last = last.filter { $0.key.app != app }
            return last
        }
        try write { _ in next }
    }

    /// - Parameter next: gets what is on disk, and returns what is to be there.
    private func write(_ next: ([Sequence: WindowNumber]) -> [Sequence: WindowNumber]) throws(JournalError) {
        try written.withLock { written throws(JournalError) in
            let next = next(written)
            guard next != written else { return }
            var writer = ByteWriter()
            writer.add(UInt32(next.count))
            for (sequence, number) in next {
                writer.add(numbers: number.value, sequence.rotation)
                writer.add(sequence.app.text)
                writer.add(sequence.purpose.text)
            }
            try disk.keep(writer.bytes, at: path, as: .closedWindows, of: daemon)
            written = next
        }
    }
}
