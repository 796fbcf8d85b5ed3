import ArgumentParser
import Glibc
import ThrongWire

/// Seals and opens for somebody else's half of Oblivious HTTP: a line of words in, a line out, bytes as hexadecimal digits.
struct ObliviousProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oblivious",
        abstract: "Seals and opens Oblivious HTTP, line by line.",
        discussion: """
            key MECHANISM           makes a gateway's key; answers with a list of its configuration
            gateway REQUEST ANSWER  opens a request, seals an answer; answers with the request and the sealed answer
            client LIST SEALING REQUEST   seals a request for the first key of a list; answers with it
            response RESPONSE       opens the response to the request that was sealed last
            """)

    func run() {
        var key: GatewayKey?
        var sealed: SealedRequest?
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do throws(ObliviousError) {
                switch (words.first, words.count) {
                case ("key", 2):
                    let made = GatewayKey(id: 42, mechanism: words[1] == "p256" ? .p256 : .x25519)
                    key = made
                    print(Self.hex(KeyConfiguration.encoded([made.configuration])))
                case ("gateway", 3):
                    let opened = try OpenedRequest(Self.bytes(words[1])[...], by: [key].compactMap { $0 })
                    print(Self.hex(opened.message), Self.hex(try opened.seal(response: Self.bytes(words[2]))))
                case ("client", 4):
                    let configurations = try KeyConfiguration.list(Self.bytes(words[1]))
                    let made = try SealedRequest(
                        Self.bytes(words[3]), for: configurations[0], by: words[2] == "chacha" ? .chaCha : .aes128)
                    sealed = made
                    print(Self.hex(made.bytes))
                case ("response", 2):
                    print(
                        try sealed.map { sealed throws(ObliviousError) in
                            Self.hex(try sealed.open(response: Self.bytes(words[1])))
                        } ?? "nothing was sealed")
                default: print("malformed")
                }
            } catch {
                print("refused")
            }
            fflush(nil)
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
