import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongPlan
import ThrongWire

@testable import ThrongIngest
@testable import ThrongServer

@Suite("Who lifts no floor brings no value to light", .serialized)
struct RevealFloorTests {
    /// Far more than k and the hidden number together.
    private static let crowd = 400

    private static func hash(_ value: BucketLabel, of purpose: PurposeName, in house: IngestionHouse) -> String {
        RevealedKey(of: "query", in: house.window(of: purpose)).hash(value).description
    }

    /// At which of invented devices somebody is asked for their guess; nil for none.
    private static func asked(_ house: IngestionHouse, of purpose: PurposeName) throws -> Int? {
        let guess = hash("apple pie", of: purpose, in: house)
        return try (1...crowd).first { try house.search(guess, by: "invented \($0)", of: purpose) }
    }

    @Test("identifiers without proof confirm no guess where floors ask for proof; elsewhere they do")
    func unproved() async throws {
        let house = try IngestionHouse()
        #expect(try Self.asked(house, of: "proved") == nil)
        let reveal = IncomingReveal(
            window: house.window(of: "proved"), dimension: "query", most: 4, value: "apple pie", output: nil)
        #expect(try await house.ingestion.reveals.learn(reveal) == .notAsked)
        // The control: the same crowd where any identifier counts.
        let asked = try #require(try Self.asked(house, of: "product"))
        #expect(asked >= 20)
        try house.end()
    }

    @Test("proved devices bring a value to light, and invented ones beside them make it no sooner")
    func proved() throws {
        let house = try IngestionHouse()
        let epoch = Epoch(containing: house.now)
        let issuer = try #require(house.epochs.issuer(of: epoch, app: "shop"))
        let context = try PresentationContext.window(house.window, of: "proved", app: "shop")
        let pie = Self.hash("apple pie", of: "proved", in: house)
        for number in 1...Self.crowd { #expect(try !house.search(pie, by: "invented \(number)", of: "proved")) }
        func device() throws -> Bool {
            let mine = Precredential(
                for: try IssuerKey(rawRepresentation: issuer.publicKey),
                requestContext: try epoch.requestContext(of: "shop"))
            let request = try #require(try ProvedRequest(mine.request.rawRepresentation))
            let shown = try mine.finalize(CredentialResponse(rawRepresentation: try issuer.issue(request)))
                .present(for: context.bytes)
            return try house.search(
                pie, by: Base64URL.text(of: shown.tag.rawRepresentation), of: "proved",
                proof: Base64URL.text(of: shown.rawRepresentation))
        }
        var devices = 1
        while try !device(), devices < 300 { devices += 1 }
        #expect((20..<300).contains(devices))
        // Now anybody is asked who sends it: there are enough, whoever says so.
        #expect(try house.search(pie, by: "invented once more", of: "proved"))
        try house.end()
    }

    @Test("identifiers of one network beyond those that lift floors confirm no guess; those of many networks do")
    func network() throws {
        let house = try IngestionHouse(floorPerNetwork: 3)
        let guess = Self.hash("apple pie", of: "product", in: house)
        for number in 1...Self.crowd {
            #expect(try !house.search(guess, by: "near \(number)", from: "198.51.100.\(number % 250)"))
        }
        // The control: as many from everywhere.
        let asked = try (1...Self.crowd).first {
            try house.search(guess, by: "far \($0)", from: "203.\($0 / 250).\($0 % 250).7")
        }
        #expect(asked != nil)
        try house.end()
    }
}
