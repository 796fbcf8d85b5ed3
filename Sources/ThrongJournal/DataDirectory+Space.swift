internal import Foundation

extension DataDirectory {
    /// What is free for this process on the disk of a directory, and how large that is; nil where the system does not say.
    ///
    /// - Unit: bytes.
    package static func space(at path: String) -> (free: Int, size: Int)? {
        SystemDisk.shared.space(at: path)
    }

    /// Whether a small file can be written where a data directory is, or is to be: false only for want of space.
    package static func hasSpace(at path: String) -> Bool {
        var folder = path
        while !SystemDisk.shared.exists(folder), folder.contains("/"), folder != "." {
            folder = File.directory(of: folder)
        }
        let probe = "\(folder.isEmpty ? "/" : folder)/.space-\(getpid())"
        defer { unlink(probe) }
        do throws(JournalError) {
            try File(probe, flags: O_WRONLY | O_CREAT | O_TRUNC, on: SystemDisk.shared).write(
                [UInt8](repeating: 1, count: 4096))
            return true
        } catch {
            return !error.isWantOfSpace
        }
    }
}
