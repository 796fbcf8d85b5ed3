import Foundation
import Testing
import ThrongSystem

@testable import throng

@Suite("A trial has its folder for itself")
struct TrialHouseTests {
    private static func inFolder(_ work: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trials-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result: Result<Void, any Error>
        do { result = .success(try await work(folder)) } catch { result = .failure(error) }
        try FileManager.default.removeItem(atPath: folder)
        try result.get()
    }

    @Test("trials that start at once have a folder each")
    func atOnce() async throws {
        try await Self.inFolder { folder in
            let houses = try await withThrowingTaskGroup { group in
                for _ in 0..<9 { group.addTask { try await TrialHouse(nil, else: folder + "/try") } }
                return try await group.reduce(into: [TrialHouse]()) { $0.append($1) }
            }
            defer { for house in houses { house.leave() } }
            let paths = houses.map(\.path).sorted()
            #expect(paths == ["\(folder)/try"] + (2...9).map { "\(folder)/try-\($0)" })
            await #expect(throws: CommandFailure.self) { try await TrialHouse(nil, else: folder + "/try") }
        }
    }

    @Test("a trial's folder is emptied by nobody while it runs, and by the next one afterwards")
    func emptied() async throws {
        try await Self.inFolder { folder in
            let first = try await TrialHouse(folder + "/try")
            try first.write(Array("app:".utf8))
            await #expect(throws: CommandFailure.self) { try await TrialHouse(folder + "/try") }
            #expect(FileManager.default.fileExists(atPath: first.plan))
            first.leave()
            let next = try await TrialHouse(folder + "/try")
            defer { next.leave() }
            let names = try FileManager.default.contentsOfDirectory(atPath: next.path)
            #expect(names == [MadeUpMark.name])
        }
    }

    @Test("a folder that holds anything else is left as it is")
    func others() async throws {
        try await Self.inFolder { folder in
            #expect(FileManager.default.createFile(atPath: folder + "/letters", contents: nil))
            await #expect(throws: CommandFailure.self) { try await TrialHouse(folder) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == ["letters"])
        }
    }
}
