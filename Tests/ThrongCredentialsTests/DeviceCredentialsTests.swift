import Foundation
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongWire

@Suite("A device asks for a credential a month, at a time that is drawn, and shows it from the next window on")
struct DeviceCredentialsTests {
    private struct Phone: Vouching {
        let name = "doorman"
        var token = "phone"
        func evidence(for challenge: [UInt8]) async throws -> [String: String] { ["token": token] }
    }

    /// What a device keeps.
    private final class Drawer: CredentialStorage {
        let bytes = Mutex<[UInt8]?>(nil)
        func read() throws -> [UInt8]? { bytes.withLock { $0 } }
        func replace(with bytes: [UInt8]) throws { self.bytes.withLock { $0 = bytes } }
    }

    /// The way to a desk, on which answers may be lost.
    private final class Line: CredentialTransport {
        let office: Office
        let requests = Mutex<[String]>([])
        let losesAnswers = Mutex(false)

        init(_ office: Office) { self.office = office }

        private struct Lost: Error {}
        private struct Asked: Decodable {
            let app, epoch, request: String
            let attestation: [String: String]
        }

        func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8]) {
            guard let body else {
                let terms = try #require(office.desk.terms(of: AppName(String(path.split(separator: "/")[2]))))
                return (200, Array(try JSONEncoder().encode(terms)))
            }
            let asked = try JSONDecoder().decode(Asked.self, from: Data(body))
            requests.withLock { $0.append(asked.request) }
            var evidence = asked.attestation
            let attester = evidence.removeValue(forKey: "by") ?? ""
            let answer: [UInt8]
            do throws(CredentialRefusal) {
                answer = try await office.desk.answer(
                    CredentialQuestion(
                        app: AppName(asked.app), epoch: asked.epoch, request: asked.request, attester: attester,
                        evidence: Evidence(evidence)))
            } catch {
                return (403, Array("{\"error\":\"\(error.code)\"}".utf8))
            }
            if losesAnswers.withLock({ $0 }) { throw Lost() }
            return (200, Array("{\"response\":\"\(Base64URL.text(of: answer))\"}".utf8))
        }
    }

    private struct World {
        let house: CredentialHouse
        let office: Office
        let line: Line
        let drawer = Drawer()

        init() throws {
            house = try CredentialHouse()
            office = try Office(house)
            line = Line(office)
        }

        func device(token: String = "phone") throws -> DeviceCredentials {
            try DeviceCredentials(
                app: "shop", vouching: Phone(token: token), storage: drawer
            ) { [house] in house.now.value }
        }

        /// Whether the daemon takes what is shown for a window of an hour.
        func takes(_ shown: AttestedIdentifier, window: Int64) throws -> Bool {
            let rotation = Rotation(seconds: 3600)
            let epoch = Epoch(of: WindowNumber(window), rotation: rotation)
            let secrets = try #require(office.keys.secrets(of: epoch, app: "shop"))
            let presentation = try Presentation(rawRepresentation: try #require(AnyBase64.bytes(shown.proof)))
            let context = try PresentationContext.window(WindowNumber(window), of: "product", app: "shop").bytes
            let isProved = presentation.isProved(
                for: context, requestContext: try epoch.requestContext(of: "shop"), by: secrets)
            return isProved && Base64URL.text(of: presentation.tag.rawRepresentation) == shown.id
        }
    }

    @Test("it asks within the hour and not at once, once a month, and its identifiers are the same after a restart")
    func month() async throws {
        let world = try World()
        let device = try world.device()
        _ = try await device.renew(by: world.line)
        let asking = await device.nextAsking
        #expect((0..<3600).contains(asking - world.house.now.value))
        world.house.now = UnixSeconds(asking)
        #expect(try await device.renew(by: world.line))
        #expect(try await device.renew(by: world.line))
        #expect(world.line.requests.withLock(\.count) == 1)

        // The window in which it came began before it.
        let window = asking / 3600
        #expect(await device.identifier(of: "product", window: window, rotationSeconds: 3600) == nil)
        let shown = try #require(await device.identifier(of: "product", window: window + 1, rotationSeconds: 3600))
        #expect(shown.id.utf8.count == 44 && shown.proof.utf8.count == 390)
        #expect(try world.takes(shown, window: window + 1))
        #expect(try !world.takes(shown, window: window + 2))
        let again = try world.device()
        let once = try #require(await again.identifier(of: "product", window: window + 1, rotationSeconds: 3600))
        #expect(once.id == shown.id && once.proof != shown.proof)
        let next = try #require(await again.identifier(of: "product", window: window + 2, rotationSeconds: 3600))
        #expect(next.id != shown.id)
        #expect(try world.takes(next, window: window + 2))
    }

    @Test("in the last three days it asks for the next month's, at a time that is drawn, and has both")
    func next() async throws {
        let world = try World()
        let device = try world.device()
        _ = try await device.renew(by: world.line)
        world.house.now += 3600
        _ = try await device.renew(by: world.line)
        let november = CredentialHouse.november
        let asking = UnixSeconds(await device.nextAsking)
        #expect(asking >= november.end - Epoch.lead && asking < november.end)
        world.house.now = asking - 1
        _ = try await device.renew(by: world.line)
        #expect(world.line.requests.withLock(\.count) == 1)
        world.house.now = max(asking, november.end - Epoch.lead)
        world.office.keys.turn(mayDestroy: true)
        _ = try await device.renew(by: world.line)
        #expect(world.line.requests.withLock(\.count) == 2)
        let window = november.end.value / 3600
        for number in [window - 1, window] {
            let shown = try #require(await device.identifier(of: "product", window: number, rotationSeconds: 3600))
            #expect(try world.takes(shown, window: number))
        }
        // What is over is forgotten.
        world.house.now = november.over
        _ = try await device.renew(by: world.line)
        #expect(await device.identifier(of: "product", window: window - 1, rotationSeconds: 3600) == nil)
        #expect(await device.identifier(of: "product", window: window, rotationSeconds: 3600) != nil)
    }

    @Test("one whose answer was lost sends the same request again, also after a restart, and is counted once")
    func lost() async throws {
        let world = try World()
        let first = try world.device()
        _ = try await first.renew(by: world.line)
        world.house.now += 3600
        world.line.losesAnswers.withLock { $0 = true }
        await #expect(throws: (any Error).self) { try await first.renew(by: world.line) }
        let again = try world.device()
        await #expect(throws: (any Error).self) { try await again.renew(by: world.line) }
        world.line.losesAnswers.withLock { $0 = false }
        #expect(try await again.renew(by: world.line))
        #expect(Set(world.line.requests.withLock { $0 }).count == 1 && world.line.requests.withLock(\.count) == 3)
        // Of the two that a device gets one is left.
        try await again.forget()
        _ = try await again.renew(by: world.line)
        world.house.now += 3600
        #expect(try await again.renew(by: world.line))
        try await again.forget()
        _ = try await again.renew(by: world.line)
        world.house.now += 3600
        await #expect(throws: DeviceCredentialsError.refused(status: 403, error: "too_many_credentials")) {
            try await again.renew(by: world.line)
        }
    }

    @Test("a daemon that has lost its key is asked with a new request, and one that says no is believed")
    func refused() async throws {
        let world = try World()
        world.line.losesAnswers.withLock { $0 = true }
        let device = try world.device()
        _ = try await device.renew(by: world.line)
        world.house.now += 3600
        await #expect(throws: (any Error).self) { try await device.renew(by: world.line) }
        let other = try World()
        other.house.now = world.house.now
        let moved = try DeviceCredentials(
            app: "shop", vouching: Phone(), storage: world.drawer
        ) { other.house.now.value }
        #expect(try await moved.renew(by: other.line))
        #expect(world.line.requests.withLock { $0 } != other.line.requests.withLock { $0 })

        let nobody = try other.device(token: "nobody")
        _ = try await nobody.renew(by: other.line)
        other.house.now += 3600
        await #expect(throws: DeviceCredentialsError.refused(status: 403, error: "not_attested")) {
            try await nobody.renew(by: other.line)
        }
        #expect(await nobody.identifier(of: "product", window: 1, rotationSeconds: 3600) == nil)
        #expect(await nobody.identifier(of: "product", window: .max, rotationSeconds: 86_400) == nil)
    }

    @Test("what was kept and is damaged is named, and left as it is")
    func damaged() async throws {
        let world = try World()
        _ = try await world.device().renew(by: world.line)
        world.house.now += 3600
        _ = try await world.device().renew(by: world.line)
        let bytes = try #require(world.drawer.bytes.withLock { $0 })
        world.drawer.bytes.withLock { $0 = bytes.dropLast() }
        #expect(throws: DeviceCredentialsError.stored) { try world.device() }
        #expect(world.drawer.bytes.withLock { $0 } == bytes.dropLast())
    }

    @Test(
        "it makes the firsts that the plan asks for, by the credential of the month of the period's last day, and no others"
    )
    func firsts() async throws {
        let world = try World()
        let device = try world.device()
        _ = try await device.renew(by: world.line)
        world.house.now = UnixSeconds(await device.nextAsking)
        _ = try await device.renew(by: world.line)
        let asked = PublicPlan.ProvedFirsts(
            periods: [.day, .week], groupings: [[], ["kind"]], partition: ["os"],
            layout: String(repeating: "7", count: 32))
        func metric(_ firsts: PublicPlan.ProvedFirsts?) -> PublicPlan.Metric {
            PublicPlan.Metric(
                name: "orders", title: "", question: "", purpose: "product", events: ["order"],
                dimensions: ["os", "kind"],
                period: .day, rollups: [.week], sums: [], histogram: nil, reach: true, provedFirsts: firsts,
                contributionBound: 1, sampling: 1, threshold: 20, impossible: [],
                expires: "2027-01-01")
        }
        let day = PeriodCalendar.utc.period(.day, containing: world.house.now)
        let cell: [DimensionName: BucketLabel] = ["os": "Linux", "kind": "cake"]
        let made = await device.first(in: cell, of: metric(asked), period: day, calendar: .utc)
        let first = try #require(made)
        #expect(first.proof.utf8.count == 390 && first.start == day.start && first.cell == cell)
        let written = try JSONEncoder().encode(first)
        #expect(try JSONDecoder().decode(ProvedFirst.self, from: written) == first)
        let members = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(members["cell"] as? [String: String] == ["os": "Linux", "kind": "cake"])
        #expect(members["start"] as? Int64 == day.start.value && members["period"] as? String == "day")
        let presentation = try Presentation(rawRepresentation: try #require(AnyBase64.bytes(first.proof)))
        let november = CredentialHouse.november
        let secrets = try #require(world.office.keys.secrets(of: november, app: "shop"))
        func holds(_ cell: [DimensionName: BucketLabel]) throws -> Bool {
            let context = try PresentationContext.first(
                in: cell, of: "orders", layout: asked.layout, period: day, app: "shop")
            return presentation.isProved(
                for: context.bytes, requestContext: try november.requestContext(of: "shop"), by: secrets)
        }
        #expect(try holds(["kind": "cake"]) && !holds(["kind": "bread"]) && !holds(cell))
        let later = PeriodCalendar.utc.period(.day, containing: november.end)
        #expect(await device.first(in: cell, of: metric(asked), period: later, calendar: .utc) == nil)
        let hour = PeriodCalendar.utc.period(.hour, containing: world.house.now)
        #expect(await device.first(in: cell, of: metric(asked), period: hour, calendar: .utc) == nil)
        #expect(await device.first(in: cell, of: metric(nil), period: day, calendar: .utc) == nil)
    }
}
