public import Foundation
internal import Synchronization
internal import ThrongPlan

/// The folder in which a daemon keeps what must survive it. One daemon holds it at a time.
///
/// `daemon.id` names this daemon in PostgreSQL · `lock` · `journal/` segments · `windows/` one key a window · `layouts/`
/// what the journal's cells mean, as JSON by identity.
public final class DataDirectory: Sendable {
    /// Its absolute path, without a slash at the end.
    public let path: String
    /// This daemon's random name: 16 bytes.
    public let daemon: UUID
    /// The descriptor that holds the lock; nil once it was given back.
    private let lock: Mutex<Int32?>

    var journalPath: String { path + "/journal" }
    var windowsPath: String { path + "/windows" }
    var layoutsPath: String { path + "/layouts" }

    /// Opens the folder, making it on first sight, and locks it.
    ///
    /// - Throws: ``JournalError/inUse(directory:)`` where another process holds it; system errors.
    public init(path: String) throws(JournalError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .system(call: "mkdir", file: path, code: errno)
        }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", file: path + "/lock", code: errno) }
        lock = Mutex(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(directory: path) }
        for folder in ["journal", "windows", "layouts"] { try File.makeDirectory(path + "/" + folder) }
        let name = path + "/daemon.id"
        if FileManager.default.fileExists(atPath: name) {
            let text = String(decoding: try File.contents(name), as: UTF8.self)
            guard let known = UUID(uuidString: text) else { throw .unknownFormat(file: name) }
            daemon = known
        } else {
            daemon = UUID()
            try File.replace(name, with: Array(daemon.uuidString.utf8))
        }
    }

    deinit { unlock() }

    /// Gives the folder back before this object goes: from now on another daemon may take it.
    public func unlock() {
        lock.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }

    /// Keeps a layout so that the journal can be read without the plan.
    func keep(_ layout: MetricLayout) throws(JournalError) {
        let name = "\(layoutsPath)/\(layout.id).json"
        if !FileManager.default.fileExists(atPath: name) { try File.replace(name, with: Array(layout.json)) }
    }

    /// The layout with that identity.
    func layout(_ id: LayoutID) throws(JournalError) -> MetricLayout {
        let name = "\(layoutsPath)/\(id).json"
        let bytes = try File.contents(name)
        do {
            return try MetricLayout(json: Data(bytes))
        } catch {
            throw .unknownFormat(file: name)
        }
    }
}
