import Foundation
import Glibc
import Testing

@testable import ThrongStore

@Suite("Files are touched with the rights of the server's user by one thread, and by none that comes after it")
struct ServerUserTests {
    /// With whose rights a thread touches files: the last of four numbers behind `Uid:`.
    private static func user(of thread: String) -> UInt32? {
        guard let text = try? String(contentsOfFile: thread + "/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line?.split(separator: "\t").last.flatMap { UInt32($0) }
    }

    /// The threads of this process that have not its own rights.
    private static func strangers() throws -> Set<String> {
        let all = "/proc/self/task"
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: all).filter {
                // One that has ended meanwhile has none.
                user(of: "\(all)/\($0)").map { $0 != geteuid() } ?? false
            })
    }

    @Test("no thread keeps them", .enabled(if: geteuid() == 0, "only root has other rights to give away"))
    func rights() async throws {
        let user = try ServerUser.current()
        try await withThrowingTaskGroup(of: UInt32?.self) { group in
            for _ in 0..<64 {
                group.addTask { try await user.touchingFiles { Self.user(of: "/proc/thread-self") } }
            }
            for try await found in group { #expect(found == user.user) }
        }
        // Other tests may be at it: whoever is one for good stays.
        var lasting = try Self.strangers()
        for _ in 0..<100 where !lasting.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
            lasting.formIntersection(try Self.strangers())
        }
        #expect(lasting.isEmpty)
    }

    @Test("whoever asked goes on with its own", .enabled(if: geteuid() == 0, "only root has other rights to give away"))
    func asker() throws {
        let user = try ServerUser.current()
        #expect(try user.outcome { Self.user(of: "/proc/thread-self") }.get() == user.user)
        #expect(Self.user(of: "/proc/thread-self") == 0)
    }
}
