import Foundation
import HTTPTypes
import Hummingbird
import Testing
import ThrongPlan
import ThrongSchedule

@testable import ThrongServer

@Suite("Anybody gets the page that checks reports, and the keys that sign them")
struct VerifyRoutesTests {
    @Test("the page runs its own script alone, the list of keys is the folder's, and neither asks who is there")
    func routes() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/throng-verify-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let signing = ReportKeyFolder(dataPath: folder)
        let router = Router(context: BasicRequestContext.self)
        try VerifyRoutes(signing: signing).add(to: router)
        let client = RouterClient(router)
        let none = try await client.send(.get, "/keys.json")
        #expect(none.status == .notFound && none.headers[.contentType] == Problem.contentType)
        #expect(none.body.contains("`throng key new`"))
        let bare = try await client.send(.get, "/verify")
        #expect(bare.status == .ok && !bare.body.contains("href=\"keys.json\""))
        _ = try signing.rotate(now: UnixSeconds(100))
        let (page, keys) = (try await client.send(.get, "/verify"), try await client.send(.get, "/keys.json"))
        #expect(page.status == .ok && keys.status == .ok && page.body.contains("href=\"keys.json\""))
        #expect(try keys.body == signing.list().json)
        #expect(try page.body == String(contentsOfFile: folder + "/signing/verify.html", encoding: .utf8))
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'sha256-"))
        #expect(!policy.contains("unsafe") && page.headers[.setCookie] == nil && keys.headers[.setCookie] == nil)
    }
}
