import Foundation
import ThrongJournal
import ThrongSystem

/// A disk that remembers what was synced and what was only written.
///
/// A file has what processes read (`live`) and what a power loss leaves at least (`stable`), by sectors of 512 bytes. Names
/// in directories wait for their directory's sync in the same way. One thread uses it, and its world owns it: that is the
/// proof of `@unchecked Sendable`.
final class VirtualDisk: @unchecked Sendable {
    static let sector = 512

    final class Inode {
        let number: Int
        var live: [UInt8] = []
        var stable: [UInt8] = []
        var dirty: Set<Int> = []
        /// Whether a failed sync has left what no later one brings to disk.
        var hasLost = false
        init(_ number: Int) { self.number = number }
    }

    /// Names that one call changes at once.
    struct NameChange {
        let directory: String
        /// Nil takes the name away.
        let names: [(path: String, file: Inode?)]
    }

    var chance: SeededGenerator
    private(set) var names: [String: Inode] = [:]
    private(set) var stableNames: [String: Inode] = [:]
    private(set) var waiting: [NameChange] = []
    /// By path: the paths in it.
    private(set) var directories: [String: Set<String>] = ["/data": []]
    private var inodes = 0
    /// What proves that two processes had the same one.
    let name: Int
    /// Unit: bytes.
    var used: Int { names.values.reduce(0) { $0 + $1.live.count } }
    /// Unit: bytes.
    var capacity = 64 << 20
    /// The so-manieth sync from now on fails; nil for none.
    var failingSync: Int?
    /// How the process that uses it ends.
    enum End {
        case killed
        case powerLost
    }

    /// The process ends at the so-manieth call from now on, before the disk does what it asks.
    var dying: (calls: Int, end: End)?
    /// How it ended, until the world has seen it.
    var ended: End?
    /// Who holds the lock.
    var holder: ObjectIdentifier?

    init(_ chance: SeededGenerator, name: Int = 0) {
        self.chance = chance
        self.name = name
    }

    // MARK: What processes do

    func make(_ path: String) -> Inode {
        inodes += 1
        let inode = Inode(inodes)
        change([(path, inode)], in: path)
        return inode
    }

    /// Changes names, for processes at once and on disk later.
    func change(_ changes: [(path: String, file: Inode?)], in path: String) {
        for (path, file) in changes {
            let folder = Self.folder(path)
            names[path] = file
            if file == nil { directories[folder]?.remove(path) } else { directories[folder, default: []].insert(path) }
        }
        waiting.append(NameChange(directory: Self.folder(path), names: changes))
    }

    func makeDirectory(_ path: String) { directories[path] = directories[path] ?? [] }

    /// Writes at the end or from a place on; returns how many bytes found space.
    func write(_ bytes: ArraySlice<UInt8>, to file: Inode, at offset: Int) -> Int {
        let growth = max(0, offset + bytes.count - file.live.count)
        let fits = min(growth, max(0, capacity - used))
        let taken = bytes.prefix(bytes.count - (growth - fits))
        guard !taken.isEmpty else { return 0 }
        if offset == file.live.count {
            file.live.append(contentsOf: taken)
        } else {
            let end = offset + taken.count
            if end > file.live.count {
                file.live.append(contentsOf: repeatElement(0, count: end - file.live.count))
            }
            file.live.replaceSubrange(offset..<end, with: taken)
        }
        for sector in offset / Self.sector...(offset + taken.count - 1) / Self.sector { file.dirty.insert(sector) }
        return taken.count
    }

    func truncate(_ file: Inode, to size: Int) {
        guard size < file.live.count else { return }
        file.live.removeLast(file.live.count - size)
        file.dirty.insert(size / Self.sector)
    }

    /// False where the sync fails: then the system takes for written what may not be.
    func sync(_ file: Inode) -> Bool {
        let works = nextSyncWorks()
        if works, !file.hasLost {
            file.stable = file.live
        } else if works {
            if file.live.count < file.stable.count { file.stable.removeLast(file.stable.count - file.live.count) }
            for sector in file.dirty { copy(sector, of: file) }
            if file.live.count > file.stable.count { file.stable.append(contentsOf: file.live[file.stable.count...]) }
        } else {
            file.hasLost = true
            for sector in file.dirty.sorted() where chance.oneIn(2) { copy(sector, of: file) }
        }
        file.dirty = []
        return works
    }

    /// Brings a file to disk, whatever is to fail.
    func syncAnyway(_ file: Inode) {
        file.stable = file.live
        file.dirty = []
        file.hasLost = false
    }

    func syncDirectory(_ path: String) -> Bool {
        let works = nextSyncWorks()
        var left: [NameChange] = []
        for change in waiting {
            if change.directory == path, works || chance.oneIn(2) { keep(change) } else { left.append(change) }
        }
        waiting = left
        return works
    }

    private func nextSyncWorks() -> Bool {
        guard let left = failingSync else { return true }
        failingSync = left > 1 ? left - 1 : nil
        return left > 1
    }

    private func copy(_ sector: Int, of file: Inode) {
        let start = sector * Self.sector
        let end = min(start + Self.sector, file.live.count)
        guard start < end else { return }
        if file.stable.count < end {
            file.stable.append(contentsOf: repeatElement(0, count: end - file.stable.count))
        }
        file.stable.replaceSubrange(start..<end, with: file.live[start..<end])
    }

    private func keep(_ change: NameChange) {
        for (path, file) in change.names { stableNames[path] = file }
    }

    // MARK: What the world does

    /// Takes the power: of what was not synced a random part is there, whole sectors each; sizes and names as they come.
    func losePower() {
        let isOrdered = chance.oneIn(2)
        var isLost = false
        for change in waiting {
            isLost = isLost && isOrdered || chance.oneIn(2)
            if !isLost { keep(change) }
        }
        waiting = []
        for file in Set(names.values.map(Reference.init)).union(stableNames.values.map(Reference.init))
            .map(\.inode).sorted(by: { $0.number < $1.number })
        where !file.dirty.isEmpty || file.live.count != file.stable.count {
            lose(file)
        }
        names = stableNames
        for folder in directories.keys { directories[folder] = [] }
        for path in names.keys { directories[Self.folder(path), default: []].insert(path) }
        failingSync = nil
        holder = nil
        dying = nil
    }

    /// Whether the process that calls goes on.
    func survivesCall() -> Bool {
        guard let (calls, end) = dying else { return true }
        dying = calls > 1 ? (calls - 1, end) : nil
        if calls <= 1 { ended = end }
        return calls > 1
    }

    private func lose(_ file: Inode) {
        let sizes = [file.stable.count, file.live.count].sorted()
        let size =
            switch chance.below(4) {
            case 0: file.stable.count
            case 1: sizes[0] + chance.below(sizes[1] - sizes[0] + 1)
            default: file.live.count
            }
        var left = file.stable
        if left.count > size { left.removeLast(left.count - size) }
        left.append(contentsOf: repeatElement(0, count: size - left.count))
        let share = 1 + chance.below(4)
        for sector in file.dirty.sorted() where chance.below(4) < share {
            let start = sector * Self.sector
            let end = min(start + Self.sector, size, file.live.count)
            if start < end { left.replaceSubrange(start..<end, with: file.live[start..<end]) }
        }
        file.live = left
        file.stable = left
        file.dirty = []
        file.hasLost = false
    }

    /// A second disk with what processes read now; nothing of it is lost to a power loss any more.
    func copy(_ chance: SeededGenerator) -> VirtualDisk {
        let other = VirtualDisk(chance, name: name + 1)
        var copies: [Int: Inode] = [:]
        for (path, file) in names {
            let twin = copies[file.number] ?? Inode(file.number)
            twin.live = file.live
            twin.stable = file.live
            copies[file.number] = twin
            other.names[path] = twin
        }
        other.stableNames = other.names
        other.directories = directories
        other.inodes = inodes
        other.capacity = capacity
        return other
    }

    static func folder(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// An inode as a member of a set.
    private struct Reference: Hashable {
        let inode: Inode
        static func == (left: Self, right: Self) -> Bool { left.inode === right.inode }
        func hash(into hasher: inout Hasher) { hasher.combine(inode.number) }
    }
}
