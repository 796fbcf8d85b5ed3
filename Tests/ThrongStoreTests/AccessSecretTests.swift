import Testing

@testable import ThrongStore

@Suite("Tokens can be read by their owners and by nobody who reads the database")
struct AccessSecretTests {
    @Test("a token reads as it was written, and matches what is kept of it and nothing else")
    func roundTrip() throws {
        for _ in 0..<200 {
            let (one, other) = (AccessSecret(), AccessSecret())
            let read = try #require(AccessSecret(" \(one.text)\n"))
            #expect(read.id == one.id && read.matches(one.hash) && !read.matches(other.hash))
            #expect(!one.matches([]) && !one.matches(Array(one.hash.dropLast())))
            #expect(one.text.utf8.count == 59)
        }
    }

    @Test("a token has one spelling: no other last letter opens the door")
    func spelling() {
        let secret = AccessSecret()
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for letter in letters where letter != secret.text.last {
            let other = AccessSecret(secret.text.dropLast() + String(letter))
            #expect(other?.matches(secret.hash) != true, "\(letter)")
        }
    }

    @Test("what is no token is none")
    func refused() {
        let good = AccessSecret().text
        for text in [
            "", "throng_", good.dropLast().description, good + "A", good.replacing("throng", with: "thronG"),
            "\(good) x",
        ] {
            #expect(AccessSecret(text) == nil, "\(text)")
        }
        #expect(AccessSecret(good.prefix(7) + "0000000g" + good.dropFirst(15)) == nil)
    }
}
