import Foundation
import Synchronization

@testable import ThrongJournal

/// Files in memory, for tests that damage thousands of them. What is written is on disk at once.
final class MemoryDisk: Disk {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var directories: Set<String> = ["/data"]
        var open: [Int32: (path: String, offset: Int)] = [:]
        var last: Int32 = 2
        var room = Int.max
    }

    private let state = Mutex(State())

    /// The bytes of a file; nil takes it away.
    subscript(path: String) -> [UInt8]? {
        get { state.withLock { $0.files[path] } }
        set { state.withLock { $0.files[path] = newValue } }
    }

    /// All files, by path.
    var files: [String: [UInt8]] {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    /// Sets how many bytes can still be written; a write that has no room for all takes some.
    func fill(upTo room: Int) { state.withLock { $0.room = room } }

    /// Puts a directory where a file was.
    func putDirectory(at path: String) {
        state.withLock { state in
            state.files[path] = nil
            state.directories.insert(path)
        }
    }

    var machine: Machine {
        Machine(
            disk: self, time: { _ in .zero }, random: { .random(in: .min ... .max) }, hasThreads: false)
    }

    func open(_ path: String, flags: Int32) throws(JournalError) -> Int32 {
        try state.withLock { state throws(JournalError) in
            let isDirectory = state.directories.contains(path)
            guard !isDirectory || flags & O_WRONLY == 0 else { throw .system(call: "open", file: path, code: EISDIR) }
            if !isDirectory, state.files[path] == nil {
                guard flags & O_CREAT != 0 else { throw .system(call: "open", file: path, code: ENOENT) }
                state.files[path] = []
            }
            if flags & O_TRUNC != 0 { state.files[path] = [] }
            state.last += 1
            state.open[state.last] = (path, flags & O_APPEND != 0 ? state.files[path]?.count ?? 0 : 0)
            return state.last
        }
    }

    func close(_ file: Int32) { state.withLock { $0.open[file] = nil } }

    func write(_ bytes: [UInt8], from start: Int, to file: Int32, named path: String) throws(JournalError) -> Int {
        try state.withLock { state throws(JournalError) in
            guard let (path, offset) = state.open[file] else { return 0 }
            guard state.room > 0 else { throw .system(call: "write", file: path, code: ENOSPC) }
            var content = state.files[path] ?? []
            let more = bytes[start...].prefix(state.room)
            state.room -= more.count
            content.replaceSubrange(offset..<min(content.count, offset + more.count), with: more)
            state.files[path] = content
            state.open[file]?.offset = offset + more.count
            return more.count
        }
    }

    func read(_ file: Int32, named path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8] {
        try state.withLock { state throws(JournalError) in
            guard let (path, _) = state.open[file], let content = state.files[path] else {
                throw .system(call: "read", file: path, code: EISDIR)
            }
            return Array(content[min(start, content.count)..<min(start + count, content.count)])
        }
    }

    func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError) {
        state.withLock { $0.files[path] = Array(($0.files[path] ?? []).prefix(size)) }
    }

    func sync(_ file: Int32, named path: String) throws(JournalError) {}
    func syncDirectory(_ file: Int32, named path: String) throws(JournalError) {}

    func rename(_ path: String, to other: String) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            if state.directories.remove(path) != nil {
                state.directories.insert(other)
                return
            }
            guard !state.directories.contains(other) else { throw .system(call: "rename", file: other, code: EISDIR) }
            state.files[other] = state.files.removeValue(forKey: path)
        }
    }

    func link(_ path: String, to other: String) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            guard state.files[other] == nil else { throw .system(call: "link", file: other, code: EEXIST) }
            state.files[other] = state.files[path]
        }
    }

    func unlink(_ path: String) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            guard !state.directories.contains(path) else { throw .system(call: "unlink", file: path, code: EISDIR) }
            guard state.files.removeValue(forKey: path) != nil else {
                throw .system(call: "unlink", file: path, code: ENOENT)
            }
        }
    }

    func makeDirectory(_ path: String) throws(JournalError) {
        guard state.withLock({ $0.directories.insert(path).inserted }) else {
            throw .system(call: "mkdir", file: path, code: EEXIST)
        }
    }

    func list(_ directory: String) throws(JournalError) -> [String] {
        state.withLock { state in
            (Array(state.files.keys) + state.directories).filter { $0.hasPrefix(directory + "/") }
                .map { String($0.dropFirst(directory.utf8.count + 1)) }.filter { !$0.contains("/") }
        }
    }

    func size(of path: String) throws(JournalError) -> Int {
        try state.withLock { state throws(JournalError) in
            if state.directories.contains(path) { return 4096 }
            guard let content = state.files[path] else { throw .system(call: "stat", file: path, code: ENOENT) }
            return content.count
        }
    }

    func exists(_ path: String) -> Bool {
        state.withLock { $0.files[path] != nil || $0.directories.contains(path) }
    }

    func space(at path: String) -> (free: Int, size: Int)? { nil }
    func lock(_ path: String) throws(JournalError) -> Int32? { 1 }
    func unlock(_ lock: Int32) {}
    func name(ofLock lock: Int32) -> String? { nil }
}
