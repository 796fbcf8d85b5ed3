internal import Foundation
internal import Synchronization
package import ThrongSystem

extension DataDirectory {
    /// Calls `tell` for every damaged file that counting can do without: for those found already, and for later ones.
    package func onDamage(_ tell: @escaping @Sendable (FileDamage) -> Void) {
        let found = damages.withLock { damages in
            damages.tell = tell
            return damages.found
        }
        for damage in found { tell(damage) }
    }

    /// Renames a damaged file to `….damaged` and reports it. If it holds a secret that must be destroyed some day, it
    /// is overwritten and removed instead, because nobody would remember to.
    package func setAside(_ damage: FileDamage, isSecret: Bool = false) throws(JournalError) {
        if isSecret, let size = try? disk.size(of: damage.path) {
            // A file that can't be overwritten, such as a directory, holds no key that anybody could read.
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

    package func tell(_ damage: FileDamage) {
        let tell = damages.withLock { damages in
            damages.found.append(damage)
            return damages.tell
        }
        tell?(damage)
    }

    /// Returns the content of a file that counting can do without; nil if missing, or damaged and now set aside.
    ///
    /// - Parameter read: decodes the content; throws ``JournalError/damagedFile(_:)`` if it can't.
    /// - Throws: system errors; ``JournalError/damagedFile(_:)`` if a newer version wrote the file.
    func spared<Value>(
        _ path: String, as kind: FileKind, _ read: ([UInt8]) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        guard disk.exists(path) else { return nil }
        do throws(JournalError) {
            return try read(disk.kept(at: path, as: kind, of: daemon))
        } catch {
            try spare(error)
            return nil
        }
    }

    /// Sets a damaged file aside; throws any other error.
    func spare(_ error: JournalError, isSecret: Bool = false) throws(JournalError) {
        guard case .damagedFile(let damage) = error else { throw error }
        if case .newer = damage.flaw { throw error }
        try setAside(damage, isSecret: isSecret)
    }

    /// The damage found so far, and the function that reports it.
    struct Damages: Sendable {
        var found: [FileDamage] = []
        var tell: (@Sendable (FileDamage) -> Void)?
    }
}
