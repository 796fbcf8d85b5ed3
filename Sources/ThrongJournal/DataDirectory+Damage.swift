internal import Foundation
internal import Synchronization
package import ThrongFiles

extension DataDirectory {
    /// Hears of every damaged file that counting goes on without: of those that were found already, and of later ones.
    package func onDamage(_ tell: @escaping @Sendable (FileDamage) -> Void) {
        let found = damages.withLock { damages in
            damages.tell = tell
            return damages.found
        }
        for damage in found { tell(damage) }
    }

    /// Takes a damaged file out of the way, and says so: it is renamed to `….damaged`. One that holds a secret that is to go some
    /// day is written over and removed, as nobody would remember to.
    package func setAside(_ damage: FileDamage, isSecret: Bool = false) throws(JournalError) {
        if isSecret, let size = try? disk.size(of: damage.path) {
            // What can't be written over, such as a directory, is no key that anybody could read.
            do throws(JournalError) {
                try disk.blank(damage.path, with: [UInt8](repeating: 0, count: min(size, 1 << 16)))
                try disk.remove(damage.path)
            } catch {
                try disk.rename(damage.path, to: damage.path + ".damaged")
            }
        } else {
            try disk.rename(damage.path, to: damage.path + ".damaged")
        }
        try disk.syncDirectory(File.directory(of: damage.path))
        tell(damage)
    }

    /// Says that something is damaged that stays where it is.
    package func tell(_ damage: FileDamage) {
        let tell = damages.withLock { damages in
            damages.found.append(damage)
            return damages.tell
        }
        tell?(damage)
    }

    /// What a file says that counting can do without; nil where there is none, or none any more: then it was set aside.
    ///
    /// - Parameter read: makes something of its content; throws ``JournalError/damagedFile(_:)`` where it can't.
    /// - Throws: system errors; ``JournalError/damagedFile(_:)`` where a newer version wrote it.
    func spared<Value>(
        _ path: String, as kind: FileKind, isSecret: Bool = false,
        _ read: ([UInt8]) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        guard disk.exists(path) else { return nil }
        do throws(JournalError) {
            return try read(disk.kept(at: path, as: kind, of: daemon))
        } catch {
            try spare(error, isSecret: isSecret)
            return nil
        }
    }

    /// Sets a damaged file aside.
    ///
    /// - Throws: what is no damage.
    func spare(_ error: JournalError, isSecret: Bool = false) throws(JournalError) {
        guard case .damagedFile(let damage) = error else { throw error }
        if case .newer = damage.flaw { throw error }
        try setAside(damage, isSecret: isSecret)
    }

    /// Damage that was found, and who hears of it.
    struct Damages: Sendable {
        var found: [FileDamage] = []
        var tell: (@Sendable (FileDamage) -> Void)?
    }
}
